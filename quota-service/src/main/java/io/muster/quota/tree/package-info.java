/** The quota tree: one versioned record, judged whole, published whole. */
@NullMarked
package io.muster.quota.tree;

import org.jspecify.annotations.NullMarked;
