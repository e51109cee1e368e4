/** Tests of the package of the same name. */
@NullMarked
package io.muster.agent.logs;

import org.jspecify.annotations.NullMarked;
