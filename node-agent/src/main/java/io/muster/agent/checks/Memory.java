package io.muster.agent.checks;

import java.util.function.LongSupplier;

/** At least 512 MiB of memory must be available; less than twice that is a WARN. */
record Memory(LongSupplier availableBytes) implements Check {

    private static final long LEAST_BYTES = 512L << 20;

    @Override
    public String name() {
        return "memory";
    }

    @Override
    public Finding look() {
        long available = availableBytes.getAsLong();
        if (available <= 0) {
            return Finding.unknown("the kernel does not say how much memory is available");
        }
        String measured = (available >> 20) + " MiB available, " + (LEAST_BYTES >> 20) + " MiB needed";
        if (available < LEAST_BYTES) {
            return Finding.fail(measured);
        }
        return available < 2 * LEAST_BYTES ? Finding.warn(measured) : Finding.pass(measured);
    }
}
