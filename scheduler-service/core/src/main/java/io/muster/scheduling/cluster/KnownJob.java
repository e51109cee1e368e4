package io.muster.scheduling.cluster;

import io.muster.scheduling.gang.JobId;

/** A job as known to the scheduler; {@code seenGeneration} is the newest placement that job-service has noticed. */
public record KnownJob(JobId job, Demand demand, JobWish wish, int seenGeneration) {}
