package io.muster.agent.checks;

import io.muster.contract.node.CheckStatus;

/** What a check found: status, and what was measured against what was expected. */
record Finding(CheckStatus status, String message) {

    static Finding pass(String message) {
        return new Finding(CheckStatus.PASS, message);
    }

    static Finding warn(String message) {
        return new Finding(CheckStatus.WARN, message);
    }

    static Finding fail(String message) {
        return new Finding(CheckStatus.FAIL, message);
    }

    static Finding skipped(String message) {
        return new Finding(CheckStatus.SKIPPED, message);
    }

    static Finding unknown(String message) {
        return new Finding(CheckStatus.UNKNOWN, message);
    }
}
