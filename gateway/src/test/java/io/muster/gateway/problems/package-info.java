/** Tests. */
@NullMarked
package io.muster.gateway.problems;

import org.jspecify.annotations.NullMarked;
