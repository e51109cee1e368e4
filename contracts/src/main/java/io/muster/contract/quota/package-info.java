/** The quota tree as quota-service publishes it on muster.quotas.v1. */
@NullMarked
package io.muster.contract.quota;

import org.jspecify.annotations.NullMarked;
