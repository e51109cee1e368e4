/** Tier-A checks: what each result means for work on the node. */
@NullMarked
package io.muster.health.check;

import org.jspecify.annotations.NullMarked;
