/** Talk to the services: JSON over HTTP with the node's token. */
@NullMarked
package io.muster.agent.http;

import org.jspecify.annotations.NullMarked;
