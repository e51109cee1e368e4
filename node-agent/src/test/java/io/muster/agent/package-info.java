/** Agents as a whole, against a control plane that is played. */
@NullMarked
package io.muster.agent;

import org.jspecify.annotations.NullMarked;
