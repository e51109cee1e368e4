/** Decides for all jobs that wait, in order; and answers whether a job could ever run. */
@NullMarked
package io.muster.scheduling.cycle;

import org.jspecify.annotations.NullMarked;
