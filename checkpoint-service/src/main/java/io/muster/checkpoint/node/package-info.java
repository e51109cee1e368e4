/** Where nodes stand and whether their agents live, as health-service tells. */
@NullMarked
package io.muster.checkpoint.node;

import org.jspecify.annotations.NullMarked;
