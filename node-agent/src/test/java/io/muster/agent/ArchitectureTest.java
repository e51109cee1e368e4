package io.muster.agent;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(packages = "io.muster.agent", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

    @ArchTest
    static final ArchRule ONLY_WHAT_AN_AGENT_MAY_KNOW = classes()
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "java..",
                    "javax.crypto..",
                    "io.muster.agent..",
                    "io.muster.contract..",
                    "tools.jackson..",
                    "com.fasterxml.jackson.annotation..",
                    "org.slf4j..",
                    "org.jspecify..");

    @ArchTest
    static final ArchRule NO_SPRING =
            noClasses().should().dependOnClassesThat().resideInAnyPackage("org.springframework..");

    @ArchTest
    static final ArchRule FEATURES_HAVE_NO_CYCLES =
            slices().matching("io.muster.agent.(*)..").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule PLAIN_NAMES =
            noClasses().should().haveNameMatching(".*(Util|Utils|Helper|Manager|Impl|Base|Common|Shared)");

    @ArchTest
    static final ArchRule DECISIONS_ARE_PURE = noClasses()
            .that()
            .haveSimpleName("Convergence")
            .or()
            .haveSimpleName("ExitReading")
            .or()
            .haveSimpleName("StepBook")
            .or()
            .haveSimpleName("PeerChoice")
            .or()
            .haveSimpleName("Retention")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("java.io..", "java.nio..", "java.net..", "java.time..", "org.slf4j..");

    @ArchTest
    static final ArchRule TIME_IS_GIVEN = noClasses()
            .should()
            .callMethod(java.time.Instant.class, "now")
            .orShould()
            .callMethod(System.class, "currentTimeMillis")
            .orShould()
            .callMethod(java.util.UUID.class, "randomUUID");
}
