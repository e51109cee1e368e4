@NullMarked
package io.muster.agent.memory;

import org.jspecify.annotations.NullMarked;
