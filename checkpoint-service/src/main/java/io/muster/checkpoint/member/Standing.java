package io.muster.checkpoint.member;

/** Whether a node speaks for a job. */
public sealed interface Standing {

    /** The node is a member of the job's newest placement, or still holds GPUs in an earlier one. */
    record Member() implements Standing {}

    /**
     * Not as far as has been heard. A placement may be on its way here, so the same request may succeed a little later.
     *
     * @param newestGeneration 0 if nothing is known of the job
     */
    record NotAMember(int newestGeneration) implements Standing {}
}
