/** Rank output into the store. */
@NullMarked
package io.muster.agent.logs;

import org.jspecify.annotations.NullMarked;
