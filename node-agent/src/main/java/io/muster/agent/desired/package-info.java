/** Making desired state so, and telling how far it is. */
@NullMarked
package io.muster.agent.desired;

import org.jspecify.annotations.NullMarked;
