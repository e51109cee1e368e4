/** The quota tree and its rules, in whole GPUs. */
@NullMarked
package io.muster.scheduling.quota;

import org.jspecify.annotations.NullMarked;
