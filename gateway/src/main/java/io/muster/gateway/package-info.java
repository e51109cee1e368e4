/** The one public door of Muster. */
@NullMarked
package io.muster.gateway;

import org.jspecify.annotations.NullMarked;
