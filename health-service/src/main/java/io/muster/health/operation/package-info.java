/** What people do to nodes: cordon and uncordon. */
@NullMarked
package io.muster.health.operation;

import org.jspecify.annotations.NullMarked;
