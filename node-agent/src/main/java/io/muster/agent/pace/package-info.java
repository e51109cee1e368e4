/** Waiting, backing off and stopping. */
@NullMarked
package io.muster.agent.pace;

import org.jspecify.annotations.NullMarked;
