package io.muster.agent.checks;

import io.muster.contract.node.CheckStatus;
import java.io.IOException;
import java.time.Duration;

/** A check whose failure is said but keeps no work off: WARN instead of FAIL, also when it hangs or cannot run. */
record Advisory(Check check, String why) implements Check {

    @Override
    public String name() {
        return check.name();
    }

    @Override
    public boolean required() {
        return false;
    }

    @Override
    public Duration limit() {
        return check.limit();
    }

    @Override
    public Finding look() throws IOException, InterruptedException {
        return check.look();
    }

    @Override
    public Finding told(Finding found) {
        boolean lets = found.status() != CheckStatus.FAIL && found.status() != CheckStatus.UNKNOWN;
        return lets ? found : Finding.warn(found.message() + "; " + why);
    }
}
