@NullMarked
package io.muster.scheduler;

import org.jspecify.annotations.NullMarked;
