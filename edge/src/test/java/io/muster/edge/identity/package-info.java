/** Tests of who may pass. */
@NullMarked
package io.muster.edge.identity;

import org.jspecify.annotations.NullMarked;
