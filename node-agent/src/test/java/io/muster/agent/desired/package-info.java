/** Tests of the package of the same name. */
@NullMarked
package io.muster.agent.desired;

import org.jspecify.annotations.NullMarked;
