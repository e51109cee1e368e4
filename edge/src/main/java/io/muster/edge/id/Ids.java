package io.muster.edge.id;

import io.muster.contract.id.CheckpointId;
import io.muster.contract.id.JobId;
import java.time.InstantSource;
import java.util.random.RandomGenerator;

/**
 * Makes ids that sort by the time they were made: a ULID in lower case (48 bits of milliseconds, 80 bits of chance)
 * behind a prefix. Within one millisecond, and while the clock stands still or goes back, the next id is the last one
 * plus one, so ids of one generator always rise. Ids are not secrets.
 */
public final class Ids {

    private static final char[] DIGITS = "0123456789abcdefghjkmnpqrstvwxyz".toCharArray();
    private static final long LOW_40_BITS = (1L << 40) - 1;

    private final InstantSource clock;
    private final RandomGenerator random;
    private long lastMillis = -1;
    private long high;
    private long low;

    public Ids(InstantSource clock, RandomGenerator random) {
        this.clock = clock;
        this.random = random;
    }

    public JobId newJobId() {
        return new JobId(newId("job"));
    }

    public CheckpointId newCheckpointId() {
        return new CheckpointId(newId("chk"));
    }

    /** {@code newId("key")} is {@code key_01k9x3v7q2m4n8p6r0s1t5w9ya}. */
    public String newId(String prefix) {
        return prefix + "_" + next();
    }

    private synchronized String next() {
        long now = clock.millis();
        if (now > lastMillis) {
            lastMillis = now;
            // the top bit stays free, so that counting up within a millisecond never overflows
            high = random.nextLong() & (LOW_40_BITS >>> 1);
            low = random.nextLong() & LOW_40_BITS;
        } else {
            low = (low + 1) & LOW_40_BITS;
            if (low == 0) {
                high++;
            }
        }
        char[] text = new char[26];
        write(text, 0, 10, lastMillis);
        write(text, 10, 8, high);
        write(text, 18, 8, low);
        return new String(text);
    }

    private static void write(char[] text, int from, int length, long value) {
        long rest = value;
        for (int i = from + length - 1; i >= from; i--) {
            text[i] = DIGITS[(int) (rest & 31)];
            rest >>>= 5;
        }
    }
}
