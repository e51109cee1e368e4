/** What every request passes before it is routed: its key, its rate. */
@NullMarked
package io.muster.gateway.door;

import org.jspecify.annotations.NullMarked;
