/** Tests. */
@NullMarked
package io.muster.edge.problem;

import org.jspecify.annotations.NullMarked;
