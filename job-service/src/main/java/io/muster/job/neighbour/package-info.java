/** What is asked of the other services, and what happens when they do not answer. */
@NullMarked
package io.muster.job.neighbour;

import org.jspecify.annotations.NullMarked;
