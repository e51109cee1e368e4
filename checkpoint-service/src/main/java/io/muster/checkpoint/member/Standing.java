package io.muster.checkpoint.member;

import java.util.List;

/** Whether a node speaks for a job. */
public sealed interface Standing {

    /**
     * The node is a member of the job's newest placement, or still holds GPUs in an earlier one.
     *
     * @param seats its place in each of these placements, the newest first; never empty
     */
    record Member(List<Seat> seats) implements Standing {

        public Member {
            seats = List.copyOf(seats);
        }
    }

    /**
     * Not as far as has been heard. A placement may be on its way here, so the same request may succeed a little later.
     *
     * @param newestGeneration 0 if nothing is known of the job
     */
    record NotAMember(int newestGeneration) implements Standing {}
}
