/** Nodes as this service last heard of them: address, session, holds. */
@NullMarked
package io.muster.job.node;

import org.jspecify.annotations.NullMarked;
