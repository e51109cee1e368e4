/** Questions to scheduler-service and its answers: feasibility and explanation. */
@NullMarked
package io.muster.contract.scheduling;

import org.jspecify.annotations.NullMarked;
