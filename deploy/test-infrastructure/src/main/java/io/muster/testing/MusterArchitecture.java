package io.muster.testing;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.simpleNameEndingWith;
import static com.tngtech.archunit.lang.conditions.ArchConditions.be;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The house rules that a machine can check, for a service's {@code ArchitectureTest}:
 *
 * <pre>{@code
 * @Test
 * void theHouseRulesHold() {
 *     MusterArchitecture.verify(MusterArchitecture.production("io.muster.job"), "io.muster.job");
 * }
 * }</pre>
 *
 * <p>A rule about something that a module does not have (entities, controllers) holds there.
 */
public final class MusterArchitecture {

    private static final Pattern BAD_NAME =
            Pattern.compile(".*(Util|Helper)([A-Zs0-9].*)?|.*Managers?|.*Impl|Abstract.*Base|Base[A-Z].*|.*Base");
    private static final Set<String> BAD_PACKAGES =
            Set.of("common", "shared", "misc", "base", "util", "utils", "helper", "helpers", "impl", "manager");
    private static final Pattern MAY_MEET_THE_WORLD = Pattern.compile(".*(Clocks|Ids|Configuration|Application)");

    private static final DescribedPredicate<JavaClass> PERSISTENCE = assignableTo(
                    "org.springframework.data.repository.Repository")
            .or(simpleNameEndingWith("Repository"))
            .or(assignableTo("jakarta.persistence.EntityManager"))
            .or(assignableTo("org.springframework.jdbc.core.simple.JdbcClient"))
            .or(assignableTo("org.springframework.jdbc.core.JdbcOperations"))
            .as("repositories, EntityManager or JdbcClient");

    private static final DescribedPredicate<JavaClass> CONTROLLER = describe(
            "controllers",
            type -> type.isMetaAnnotatedWith("org.springframework.stereotype.Controller")
                    || type.isAnnotatedWith("org.springframework.web.bind.annotation.RestController"));

    /** Controllers and listeners translate; what they touch is a use case. */
    public static final ArchRule CONTROLLERS_AND_LISTENERS_ONLY_TRANSLATE = noClasses()
            .that(CONTROLLER.or(simpleNameEndingWith("Listener")))
            .should()
            .dependOnClassesThat(PERSISTENCE)
            .allowEmptyShould(true);

    public static final ArchRule ENTITIES_STAY_HOME = classes()
            .that()
            .areAnnotatedWith("jakarta.persistence.Entity")
            .should()
            .bePackagePrivate()
            .allowEmptyShould(true);

    public static final ArchRule NAMES_SAY_SOMETHING = noClasses()
            .should(be(describe(
                    "named *Util*, *Helper*, *Manager, *Impl or *Base, or in a package common, shared, misc or base",
                    MusterArchitecture::hasEmptyName)))
            .allowEmptyShould(true);

    public static final ArchRule TIME_AND_CHANCE_ARE_INJECTED = noClasses()
            .that(not(describe("allowed to meet the world", MusterArchitecture::mayMeetTheWorld)))
            .should()
            .accessTargetWhere(describe("reads the clock, rolls dice or sleeps", MusterArchitecture::meetsTheWorld))
            .because("time comes from an injected Clock and ids from one generator; waiting needs a condition")
            .allowEmptyShould(true);

    public static final ArchRule NO_FIELD_INJECTION = fields().should()
            .notBeAnnotatedWith("org.springframework.beans.factory.annotation.Autowired")
            .andShould()
            .notBeAnnotatedWith("org.springframework.beans.factory.annotation.Value")
            .andShould()
            .notBeAnnotatedWith("jakarta.inject.Inject")
            .andShould()
            .notBeAnnotatedWith("jakarta.annotation.Resource")
            .andShould()
            .notBeAnnotatedWith("jakarta.persistence.PersistenceContext")
            .allowEmptyShould(true);

    public static final ArchRule CONTROLLERS_ARE_NOT_TRANSACTIONAL = noClasses()
            .that(CONTROLLER)
            .should()
            .beMetaAnnotatedWith("org.springframework.transaction.annotation.Transactional")
            .allowEmptyShould(true);

    public static final ArchRule CONTROLLER_METHODS_ARE_NOT_TRANSACTIONAL = methods()
            .that()
            .areDeclaredInClassesThat(CONTROLLER)
            .should()
            .notBeMetaAnnotatedWith("org.springframework.transaction.annotation.Transactional")
            .allowEmptyShould(true);

    public static final ArchRule ONE_WAY_TO_LOG = noClasses()
            .that()
            .resideOutsideOfPackage("io.muster.local..")
            .should()
            .accessTargetWhere(describe("uses System.out or System.err", MusterArchitecture::usesStandardStream))
            .orShould()
            .dependOnClassesThat(resideInAPackage("java.util.logging.."))
            .allowEmptyShould(true);

    public static final ArchRule ONLY_MESSAGING_SPEAKS_KAFKA =
            onlySpeaksKafka("io.muster.messaging..", "io.muster.embedded..", "io.muster.testing..");

    private static final List<ArchRule> EVERYWHERE = List.of(
            CONTROLLERS_AND_LISTENERS_ONLY_TRANSLATE,
            ENTITIES_STAY_HOME,
            NAMES_SAY_SOMETHING,
            TIME_AND_CHANCE_ARE_INJECTED,
            NO_FIELD_INJECTION,
            CONTROLLERS_ARE_NOT_TRANSACTIONAL,
            CONTROLLER_METHODS_ARE_NOT_TRANSACTIONAL,
            ONE_WAY_TO_LOG,
            ONLY_MESSAGING_SPEAKS_KAFKA);

    private MusterArchitecture() {}

    /** The classes of a package and below, without its tests. */
    public static JavaClasses production(String basePackage) {
        return new ClassFileImporter()
                .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                .importPackages(basePackage);
    }

    /** All rules, and: the features (sub-packages) of the service depend on each other without cycles. */
    public static void verify(JavaClasses classes, String servicePackage) {
        EVERYWHERE.forEach(rule -> rule.check(classes));
        featuresAreFreeOfCycles(servicePackage).check(classes);
    }

    public static ArchRule featuresAreFreeOfCycles(String servicePackage) {
        return slices().matching(servicePackage + ".(*)..")
                .should()
                .beFreeOfCycles()
                .allowEmptyShould(true);
    }

    static ArchRule onlySpeaksKafka(String... packages) {
        return noClasses()
                .that()
                .resideOutsideOfPackages(packages)
                .should()
                .dependOnClassesThat(resideInAnyPackage(
                        "org.springframework.kafka..",
                        "org.apache.kafka.clients.producer..",
                        "org.apache.kafka.clients.consumer.."))
                .allowEmptyShould(true);
    }

    private static boolean hasEmptyName(JavaClass type) {
        String name = type.getName().substring(type.getPackageName().length());
        for (String part : name.split("[.$]", -1)) {
            if (BAD_NAME.matcher(part).matches()) {
                return true;
            }
        }
        return List.of(type.getPackageName().split("\\.", -1)).stream().anyMatch(BAD_PACKAGES::contains);
    }

    private static boolean mayMeetTheWorld(JavaClass type) {
        JavaClass outermost = type;
        while (outermost.getEnclosingClass().isPresent()) {
            outermost = outermost.getEnclosingClass().get();
        }
        return MAY_MEET_THE_WORLD.matcher(outermost.getSimpleName()).matches();
    }

    private static boolean meetsTheWorld(JavaAccess<?> access) {
        String owner = access.getTarget().getOwner().getFullName();
        boolean withoutArguments = access.getTarget().getFullName().endsWith("()");
        return switch (owner + "." + access.getTarget().getName()) {
            case "java.time.Instant.now",
                    "java.time.LocalDate.now",
                    "java.time.LocalDateTime.now",
                    "java.time.ZonedDateTime.now",
                    "java.time.OffsetDateTime.now",
                    "java.util.Random.<init>" -> withoutArguments;
            case "java.lang.System.currentTimeMillis",
                    "java.util.UUID.randomUUID",
                    "java.lang.Math.random",
                    "java.util.concurrent.ThreadLocalRandom.current",
                    "java.lang.Thread.sleep" -> true;
            default -> false;
        };
    }

    private static boolean usesStandardStream(JavaAccess<?> access) {
        return access.getTarget().getOwner().getFullName().equals("java.lang.System")
                && (access.getTarget().getName().equals("out")
                        || access.getTarget().getName().equals("err"));
    }
}
