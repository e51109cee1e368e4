/** Reserve, store, commit and restore: the talk between agents, job-service and checkpoint-service. */
@NullMarked
package io.muster.contract.checkpoint;

import org.jspecify.annotations.NullMarked;
