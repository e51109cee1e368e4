package io.muster.simulation;

import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/** Whatever happens by chance. */
public final class Chance implements RandomGenerator {

    private final SplittableRandom random;

    Chance(long seed) {
        this.random = new SplittableRandom(seed * 0x9E3779B97F4A7C15L + 0x632BE59BD9B4E019L);
    }

    @Override
    public long nextLong() {
        return random.nextLong();
    }

    /** From low to high, both among them. */
    public int between(int low, int high) {
        return low + random.nextInt(high - low + 1);
    }

    public boolean once(double probability) {
        return probability > 0 && random.nextDouble() < probability;
    }

    public <T> T of(List<T> some) {
        return some.get(random.nextInt(some.size()));
    }
}
