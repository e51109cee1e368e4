package io.muster.job.submission;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.muster.job.query.JobView;
import java.util.List;

/** The new job, and what its owner should know about it. */
record Submitted(@JsonUnwrapped JobView job, List<String> warnings) {}
