package io.muster.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import org.junit.jupiter.api.Test;

/** Each rule is broken once on purpose: a rule that cannot fail guards nothing. */
class MusterArchitectureTest {

    private static final String BAD = "io.muster.testing.fixture.bad";
    private static final String GOOD = "io.muster.testing.fixture.good";
    private static final JavaClasses BROKEN = new ClassFileImporter().importPackages(BAD);

    @Test
    void everyRuleFindsItsBreach() {
        assertBreach(MusterArchitecture.CONTROLLERS_AND_LISTENERS_ONLY_TRANSLATE, "OrderController", "OrderRepository");
        assertBreach(MusterArchitecture.ENTITIES_STAY_HOME, "alpha.Order>");
        assertBreach(MusterArchitecture.NAMES_SAY_SOMETHING, "OrderManager", "common.Thing");
        assertBreach(MusterArchitecture.TIME_AND_CHANCE_ARE_INJECTED, "java.util.Random.<init>()", "Thread.sleep");
        assertBreach(MusterArchitecture.NO_FIELD_INJECTION, "OrderManager.producer");
        assertBreach(MusterArchitecture.CONTROLLER_METHODS_ARE_NOT_TRANSACTIONAL, "OrderController.count()");
        assertBreach(MusterArchitecture.CONTROLLERS_ARE_NOT_TRANSACTIONAL, "StockController");
        assertBreach(MusterArchitecture.ONE_WAY_TO_LOG, "System.out");
        assertBreach(MusterArchitecture.featuresAreFreeOfCycles(BAD), "Slice alpha", "Slice beta");
        ArchRule kafka = MusterArchitecture.onlySpeaksKafka("io.muster.messaging..");
        assertBreach(kafka, "OrderManager.producer");
        assertThatThrownBy(() -> MusterArchitecture.verify(BROKEN, BAD)).isInstanceOf(AssertionError.class);
    }

    @Test
    void goodCodeAndAnEmptyModulePass() {
        assertThatCode(() -> MusterArchitecture.verify(new ClassFileImporter().importPackages(GOOD), GOOD))
                .doesNotThrowAnyException();
        assertThatCode(() -> MusterArchitecture.verify(
                        new ClassFileImporter().importPackages("io.muster.nothing"), "io.muster.nothing"))
                .doesNotThrowAnyException();
    }

    private static void assertBreach(ArchRule rule, String... places) {
        var result = rule.evaluate(BROKEN);
        assertThat(String.join("\n", result.getFailureReport().getDetails()))
                .as(rule.getDescription())
                .contains(places);
    }
}
