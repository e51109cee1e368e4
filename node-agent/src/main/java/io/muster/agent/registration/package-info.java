/** How a node becomes a member and stays one: join, register, renew. */
@NullMarked
package io.muster.agent.registration;

import org.jspecify.annotations.NullMarked;
