@NullMarked
package io.muster.testing;

import org.jspecify.annotations.NullMarked;
