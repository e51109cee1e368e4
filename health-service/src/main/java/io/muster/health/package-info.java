/** health-service: which nodes and GPUs are fit. Registry, leases, checks, holds and their events. */
@NullMarked
package io.muster.health;

import org.jspecify.annotations.NullMarked;
