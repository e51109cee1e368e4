package io.muster.job.submission;

import io.muster.contract.id.JobId;

/** The answer to a submission as it was first given, and is given again for the same idempotency key. */
record StoredAnswer(JobId job, String tag, String body) {}
