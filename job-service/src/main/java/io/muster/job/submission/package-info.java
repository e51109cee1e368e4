/** Taking in a job: everything wrong is said at once, nothing is stored twice. */
@NullMarked
package io.muster.job.submission;

import org.jspecify.annotations.NullMarked;
