/** Being reached by peers, and reaching them. */
@NullMarked
package io.muster.agent.probe;

import org.jspecify.annotations.NullMarked;
