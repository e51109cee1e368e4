/** How a node enters: join tokens, registration, node credentials. */
@NullMarked
package io.muster.health.registry;

import org.jspecify.annotations.NullMarked;
