@NullMarked
package io.muster.agent.peer;

import org.jspecify.annotations.NullMarked;
