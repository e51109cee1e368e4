/** What people asked for: submission, life cycle, attempts, tasks for the agents, timeline, logs. */
@NullMarked
package io.muster.job;

import org.jspecify.annotations.NullMarked;
