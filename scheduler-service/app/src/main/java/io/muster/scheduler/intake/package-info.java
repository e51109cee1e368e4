/** What others own, kept whole in this service's own tables, and the signal that it changed. */
@NullMarked
package io.muster.scheduler.intake;

import org.jspecify.annotations.NullMarked;
