/** Identifiers; never a bare String in a signature. */
@NullMarked
package io.muster.contract.id;

import org.jspecify.annotations.NullMarked;
