/** The gateway over real HTTP, with a real database and real servers behind it. */
@NullMarked
package io.muster.gateway;

import org.jspecify.annotations.NullMarked;
