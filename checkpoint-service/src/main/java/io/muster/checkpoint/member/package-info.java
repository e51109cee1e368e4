/** Which node speaks for which job, as placements say. */
@NullMarked
package io.muster.checkpoint.member;

import org.jspecify.annotations.NullMarked;
