/** What can be restored: catalogue, commit protocol and restore choice. */
@NullMarked
package io.muster.checkpoint;

import org.jspecify.annotations.NullMarked;
