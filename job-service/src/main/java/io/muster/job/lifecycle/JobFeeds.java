package io.muster.job.lifecycle;

/** The feeds of the change log that tell of jobs; the key is the job's id. */
public final class JobFeeds {

    /** Whatever a list of jobs shows has changed. */
    public static final String LISTED = "jobs";

    /** Anything that is shown of a job has changed, its progress too. */
    public static final String SHOWN = "job";

    private JobFeeds() {}
}
