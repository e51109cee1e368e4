/** Tests of the package of the same name. */
@NullMarked
package io.muster.agent.attempt;

import org.jspecify.annotations.NullMarked;
