/** Who is calling: tokens, their keys, the filter chain that keeps each kind of caller on its own paths. */
@NullMarked
package io.muster.edge.identity;

import org.jspecify.annotations.NullMarked;
