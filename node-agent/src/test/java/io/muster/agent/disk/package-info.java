/** Tests of the package of the same name. */
@NullMarked
package io.muster.agent.disk;

import org.jspecify.annotations.NullMarked;
