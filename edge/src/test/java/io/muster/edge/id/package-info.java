/** Tests. */
@NullMarked
package io.muster.edge.id;

import org.jspecify.annotations.NullMarked;
