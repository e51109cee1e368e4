/** Tests of the package of the same name. */
@NullMarked
package io.muster.agent.settings;

import org.jspecify.annotations.NullMarked;
