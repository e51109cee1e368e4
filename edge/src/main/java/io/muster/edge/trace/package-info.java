/** One id for a request on its way through the services. */
@NullMarked
package io.muster.edge.trace;

import org.jspecify.annotations.NullMarked;
