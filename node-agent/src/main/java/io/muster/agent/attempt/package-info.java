/** One attempt on this node, from preflight to gone. */
@NullMarked
package io.muster.agent.attempt;

import org.jspecify.annotations.NullMarked;
