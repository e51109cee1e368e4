/** Who may use how much, and who has used how much: the quota tree and the ledger of held GPUs. */
@NullMarked
package io.muster.quota;

import org.jspecify.annotations.NullMarked;
