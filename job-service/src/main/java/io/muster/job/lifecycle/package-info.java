/** A job's states, attempts and members: decided purely, written by one writer. */
@NullMarked
package io.muster.job.lifecycle;

import org.jspecify.annotations.NullMarked;
