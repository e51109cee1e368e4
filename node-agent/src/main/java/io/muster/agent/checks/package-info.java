/** Tier-A checks: what must be right before work may start. */
@NullMarked
package io.muster.agent.checks;

import org.jspecify.annotations.NullMarked;
