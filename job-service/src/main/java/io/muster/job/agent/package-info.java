/** What agents fetch and report. */
@NullMarked
package io.muster.job.agent;

import org.jspecify.annotations.NullMarked;
