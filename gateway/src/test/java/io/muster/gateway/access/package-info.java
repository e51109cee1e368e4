/** Tests. */
@NullMarked
package io.muster.gateway.access;

import org.jspecify.annotations.NullMarked;
