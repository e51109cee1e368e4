/** Lists: pages and their opaque cursors. */
@NullMarked
package io.muster.edge.page;

import org.jspecify.annotations.NullMarked;
