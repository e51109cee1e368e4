/** Tests of the package of the same name. */
@NullMarked
package io.muster.agent.checks;

import org.jspecify.annotations.NullMarked;
