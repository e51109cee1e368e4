/** What an agent says every second and what it is told. */
@NullMarked
package io.muster.health.heartbeat;

import org.jspecify.annotations.NullMarked;
