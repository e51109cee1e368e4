/** Tests of the package of the same name. */
@NullMarked
package io.muster.agent.inventory;

import org.jspecify.annotations.NullMarked;
