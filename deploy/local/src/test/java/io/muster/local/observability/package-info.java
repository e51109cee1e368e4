/** Rules, dashboards and runbooks name only what the services really measure. */
@NullMarked
package io.muster.local.observability;

import org.jspecify.annotations.NullMarked;
