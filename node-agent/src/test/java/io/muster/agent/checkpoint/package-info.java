/** Tests of the package of the same name. */
@NullMarked
package io.muster.agent.checkpoint;

import org.jspecify.annotations.NullMarked;
