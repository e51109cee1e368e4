/** Tests. */
@NullMarked
package io.muster.gateway.document;

import org.jspecify.annotations.NullMarked;
