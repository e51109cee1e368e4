/** The quota tree as this service last heard of it, and which of its leaves a job goes to. */
@NullMarked
package io.muster.job.queue;

import org.jspecify.annotations.NullMarked;
