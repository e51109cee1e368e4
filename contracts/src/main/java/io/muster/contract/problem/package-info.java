/** Refusals: RFC 9457 problems with every violation at once. */
@NullMarked
package io.muster.contract.problem;

import org.jspecify.annotations.NullMarked;
