/** The job spec: which fields exist, which are accepted, and what is wrong with one; pure. */
@NullMarked
package io.muster.job.spec;

import org.jspecify.annotations.NullMarked;
