/** One scheduler decides at a time: a lease in the database, an epoch that rises at every takeover. */
@NullMarked
package io.muster.scheduler.leadership;

import org.jspecify.annotations.NullMarked;
