package io.muster.agent.checks;

import java.io.IOException;

/** The agent's folder needs 1 GiB or a twentieth of its disk free, whichever is less; less than twice that is a WARN. */
record DiskSpace(SpaceProbe probe) implements Check {

    private static final long LEAST_BYTES = 1L << 30;

    /** How much there is. */
    interface SpaceProbe {
        Space measure() throws IOException;
    }

    record Space(long usableBytes, long totalBytes) {}

    @Override
    public String name() {
        return "disk_space";
    }

    @Override
    public Finding look() throws IOException {
        Space space = probe.measure();
        long needed = Math.min(LEAST_BYTES, space.totalBytes() / 20);
        String measured = (space.usableBytes() >> 20) + " MiB free of " + (space.totalBytes() >> 20) + " MiB, "
                + (needed >> 20) + " MiB needed";
        if (space.usableBytes() < needed) {
            return Finding.fail(measured);
        }
        return space.usableBytes() < 2 * needed ? Finding.warn(measured) : Finding.pass(measured);
    }
}
