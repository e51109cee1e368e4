/** Who is alive: leases judged in memory by the one instance that holds the judge's seat. */
@NullMarked
package io.muster.health.lease;

import org.jspecify.annotations.NullMarked;
