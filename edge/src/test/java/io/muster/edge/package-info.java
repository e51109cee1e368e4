/** A small service on the real edge, and what only shows over real HTTP. */
@NullMarked
package io.muster.edge;

import org.jspecify.annotations.NullMarked;
