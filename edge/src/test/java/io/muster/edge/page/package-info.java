/** Tests. */
@NullMarked
package io.muster.edge.page;

import org.jspecify.annotations.NullMarked;
