package io.muster.agent.checks;

import java.io.IOException;

/**
 * {@code localhost} must resolve within a second, because ranks and frameworks use it. This machine's own name should:
 * many machines live without, so that is a WARN.
 */
record NameResolution(String hostName, Resolver resolver) implements Check {

    /** Fails with an IOException if the name is unknown. */
    interface Resolver {
        String resolve(String name) throws IOException;
    }

    private static final long LIMIT_MILLIS = 1000;

    @Override
    public String name() {
        return "name_resolution";
    }

    @Override
    public Finding look() {
        long begun = System.nanoTime();
        try {
            resolver.resolve("localhost");
        } catch (IOException unknown) {
            return Finding.fail("localhost does not resolve: " + unknown.getMessage() + "; see /etc/hosts");
        }
        long millis = (System.nanoTime() - begun) / 1_000_000;
        if (millis > LIMIT_MILLIS) {
            return Finding.fail("localhost resolved after " + millis + " ms, limit " + LIMIT_MILLIS + " ms");
        }
        try {
            resolver.resolve(hostName);
        } catch (IOException unknown) {
            return Finding.warn("own name '" + hostName + "' does not resolve; localhost does, in " + millis + " ms");
        }
        return Finding.pass("localhost and '" + hostName + "' resolve");
    }
}
