package io.muster.agent.checks;

import io.muster.agent.inventory.GpuDriver;
import io.muster.contract.node.GpuFacts;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

/** Every GPU that this node joined with must answer now. */
record GpuCount(GpuDriver driver, int expected) implements Check {

    @Override
    public String name() {
        return "gpu_count";
    }

    @Override
    public Duration limit() {
        return Duration.ofSeconds(6);
    }

    @Override
    public Finding look() throws IOException {
        List<Integer> found = driver.read().gpus().stream().map(GpuFacts::index).toList();
        if (found.size() == expected) {
            return Finding.pass(expected + " GPUs answer, as many as expected");
        }
        List<Integer> missing = IntStream.range(0, expected)
                .filter(index -> !found.contains(index))
                .boxed()
                .toList();
        return Finding.fail(found.size() + " GPUs answer, " + expected + " were expected"
                + (missing.isEmpty() ? "" : "; missing: " + missing));
    }
}
