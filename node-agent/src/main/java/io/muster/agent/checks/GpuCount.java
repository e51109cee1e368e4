package io.muster.agent.checks;

import io.muster.agent.inventory.GpuDriver;
import io.muster.contract.node.GpuFacts;
import java.io.IOException;
import java.util.List;
import java.util.stream.IntStream;

/** Every GPU that this node joined with must answer now; more than those are a WARN, they are not used. */
record GpuCount(GpuDriver driver, int expected) implements Check {

    @Override
    public String name() {
        return "gpu_count";
    }

    @Override
    public Finding look() throws IOException {
        List<Integer> found = driver.read().gpus().stream().map(GpuFacts::index).toList();
        List<Integer> missing = IntStream.range(0, expected)
                .filter(index -> !found.contains(index))
                .boxed()
                .toList();
        String measured = found.size() + " GPUs answer, " + expected + " were expected";
        if (!missing.isEmpty()) {
            return Finding.fail(measured + "; missing: " + missing);
        }
        return found.size() > expected
                ? Finding.warn(measured + "; join the node again to have the others used")
                : Finding.pass(expected + " GPUs answer, as many as expected");
    }
}
