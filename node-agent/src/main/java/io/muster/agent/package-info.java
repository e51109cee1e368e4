/** The agent of one node: makes desired state so and never restarts anything on its own. */
@NullMarked
package io.muster.agent;

import org.jspecify.annotations.NullMarked;
