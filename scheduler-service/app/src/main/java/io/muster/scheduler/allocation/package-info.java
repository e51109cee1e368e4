/** Which job holds which GPU: the tables, the commit under an epoch and the events that follow from it. */
@NullMarked
package io.muster.scheduler.allocation;

import org.jspecify.annotations.NullMarked;
