@NullMarked
package io.muster.scheduler.leadership;

import org.jspecify.annotations.NullMarked;
