package io.muster.health.registry;

import io.muster.contract.node.Registration;
import io.muster.contract.problem.Problem;

/** What became of a join or a registration. */
sealed interface Entry {

    record Entered(Registration registration) implements Entry {}

    record Refused(Problem problem) implements Entry {}
}
