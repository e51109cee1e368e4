package io.muster.scheduling;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.time.Clock;
import java.time.Instant;
import java.util.Random;
import java.util.UUID;

@AnalyzeClasses(packages = "io.muster.scheduling", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

    @ArchTest
    static final ArchRule THE_CORE_KNOWS_ONLY_JAVA_AND_ITSELF = classes()
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage("java..", "org.jspecify..", "io.muster.scheduling..");

    @ArchTest
    static final ArchRule FEATURES_HAVE_NO_CYCLES =
            slices().matching("io.muster.scheduling.(*)..").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule DECISIONS_READ_NO_CLOCK_AND_NO_CHANCE = noClasses()
            .should()
            .callMethod(Instant.class, "now")
            .orShould()
            .callMethod(System.class, "currentTimeMillis")
            .orShould()
            .callMethod(System.class, "nanoTime")
            .orShould()
            .callMethod(UUID.class, "randomUUID")
            .orShould()
            .dependOnClassesThat()
            .areAssignableTo(Clock.class)
            .orShould()
            .dependOnClassesThat()
            .areAssignableTo(Random.class);

    @ArchTest
    static final ArchRule NOTHING_IS_NAMED_FOR_NO_PURPOSE = noClasses()
            .should()
            .haveNameMatching(".*(Util|Utils|Helper|Manager|Impl|Base)")
            .orShould()
            .resideInAnyPackage("..common..", "..shared..", "..misc..", "..base..");
}
