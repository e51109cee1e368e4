/** Between the published language (contracts) and the language of the core: pure, both ways. */
@NullMarked
package io.muster.scheduler.translation;

import org.jspecify.annotations.NullMarked;
