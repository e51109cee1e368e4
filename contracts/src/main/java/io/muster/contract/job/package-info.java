/** Whole state of a job as job-service publishes it on muster.jobs.v1. */
@NullMarked
package io.muster.contract.job;

import org.jspecify.annotations.NullMarked;
