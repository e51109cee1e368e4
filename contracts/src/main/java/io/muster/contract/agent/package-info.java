/** Desired state and reports: the talk between job-service and the agents. */
@NullMarked
package io.muster.contract.agent;

import org.jspecify.annotations.NullMarked;
