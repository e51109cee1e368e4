/** Reasons to keep work off a node or GPU, and the node's state that follows from them. */
@NullMarked
package io.muster.health.hold;

import org.jspecify.annotations.NullMarked;
