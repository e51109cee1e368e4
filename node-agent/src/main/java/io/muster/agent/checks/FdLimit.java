package io.muster.agent.checks;

import java.io.IOException;

/** Ranks inherit the soft limit of open files; it must be at least 1024. */
record FdLimit(LimitProbe probe) implements Check {

    private static final long LEAST = 1024;

    /** The soft limit; Long.MAX_VALUE if unlimited. */
    interface LimitProbe {
        long softLimit() throws IOException;
    }

    @Override
    public String name() {
        return "fd_limit";
    }

    @Override
    public Finding look() throws IOException {
        long limit = probe.softLimit();
        String measured = "soft limit of open files is " + (limit == Long.MAX_VALUE ? "unlimited" : limit)
                + ", at least " + LEAST + " needed";
        return limit >= LEAST ? Finding.pass(measured) : Finding.fail(measured + "; raise it with ulimit -n");
    }
}
