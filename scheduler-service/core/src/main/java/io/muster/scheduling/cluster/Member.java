package io.muster.scheduling.cluster;

import io.muster.scheduling.gang.NodeId;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;

/** One node of a gang and the GPUs it holds there, bit i for GPU i; {@code rank} is its place in topology order. */
public record Member(int rank, NodeId node, long gpuMask, Instant since) {

    public int gpuCount() {
        return Long.bitCount(gpuMask);
    }

    public List<Integer> gpus() {
        return IntStream.range(0, Long.SIZE)
                .filter(gpu -> (gpuMask >>> gpu & 1) != 0)
                .boxed()
                .toList();
    }

    /** The mask of these GPU indices. */
    public static long maskOf(Iterable<Integer> gpus) {
        long mask = 0;
        for (int gpu : gpus) {
            if (gpu < 0 || gpu >= Long.SIZE) {
                throw new IllegalArgumentException("GPU index " + gpu + " is outside 0 to 63");
            }
            mask |= 1L << gpu;
        }
        return mask;
    }
}
