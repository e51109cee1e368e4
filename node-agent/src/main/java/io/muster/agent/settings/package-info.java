/** What an agent is told by its environment. */
@NullMarked
package io.muster.agent.settings;

import org.jspecify.annotations.NullMarked;
