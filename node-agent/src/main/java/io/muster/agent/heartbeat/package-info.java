/** The sign of life, and what travels with it. */
@NullMarked
package io.muster.agent.heartbeat;

import org.jspecify.annotations.NullMarked;
