/** A node's whole state, kept in one transaction with its events. */
@NullMarked
package io.muster.health.node;

import org.jspecify.annotations.NullMarked;
