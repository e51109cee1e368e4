/** The goals of a placement, one class each, hard before soft. */
@NullMarked
package io.muster.scheduling.placement.goal;

import org.jspecify.annotations.NullMarked;
