@NullMarked
package io.muster.messaging;

import org.jspecify.annotations.NullMarked;
