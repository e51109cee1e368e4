/** Whom to blame for a gang's failed preflight. */
@NullMarked
package io.muster.health.preflight;

import org.jspecify.annotations.NullMarked;
