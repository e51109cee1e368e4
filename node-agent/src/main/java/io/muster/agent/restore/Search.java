package io.muster.agent.restore;

import java.io.IOException;
import java.nio.channels.FileChannel;

/** What came of looking for a whole copy of a shard. */
public sealed interface Search {

    /** The bytes of the very copy that was verified. */
    interface Bytes {
        FileChannel open() throws IOException;
    }

    /** @param where memory, the peer's name, or store */
    record Whole(String where, Bytes bytes) implements Search {}

    /** Every place that could have one was reached, and none has it whole. */
    record Damaged(String why) implements Search {}

    /** A place that may have one cannot be reached now. */
    record Unreachable(String why) implements Search {}
}
