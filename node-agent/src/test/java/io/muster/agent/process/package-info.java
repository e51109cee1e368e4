/** Tests of the package of the same name. */
@NullMarked
package io.muster.agent.process;

import org.jspecify.annotations.NullMarked;
