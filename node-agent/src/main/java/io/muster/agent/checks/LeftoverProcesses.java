package io.muster.agent.checks;

import java.io.IOException;
import java.util.List;

/** No process of an attempt that this agent neither runs nor has adopted may still be alive. */
record LeftoverProcesses(LeftoverScan scan) implements Check {

    /** Finds them; each entry names process and attempt. */
    interface LeftoverScan {
        List<String> leftovers() throws IOException;
    }

    @Override
    public String name() {
        return "leftover_processes";
    }

    @Override
    public Finding look() throws IOException {
        List<String> left = scan.leftovers();
        return left.isEmpty()
                ? Finding.pass("no process of an earlier attempt is alive")
                : Finding.fail(left.size() + " processes of earlier attempts are alive: "
                        + String.join(", ", left.subList(0, Math.min(5, left.size()))));
    }
}
