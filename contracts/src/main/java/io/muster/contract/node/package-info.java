/** Whole state of a node as health-service publishes it on muster.nodes.v1, and the talk between agent and health-service. */
@NullMarked
package io.muster.contract.node;

import org.jspecify.annotations.NullMarked;
