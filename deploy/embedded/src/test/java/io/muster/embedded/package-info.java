@NullMarked
package io.muster.embedded;

import org.jspecify.annotations.NullMarked;
