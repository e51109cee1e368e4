package io.muster.agent.checks;

import java.util.Optional;

/** The agent's version must be the one the control plane expects; SKIPPED if none is named. */
record AgentVersionMatch(String own, Optional<String> expected) implements Check {

    @Override
    public String name() {
        return "agent_version";
    }

    @Override
    public Finding look() {
        if (expected.isEmpty()) {
            return Finding.skipped("this agent is " + own + "; no version is expected");
        }
        return own.equals(expected.get())
                ? Finding.pass("this agent is " + own)
                : Finding.fail("this agent is " + own + ", expected is " + expected.get()
                        + "; install that version and restart the agent");
    }
}
