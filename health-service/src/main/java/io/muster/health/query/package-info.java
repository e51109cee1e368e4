/** What people and services ask about nodes. */
@NullMarked
package io.muster.health.query;

import org.jspecify.annotations.NullMarked;
