/** The identity of this cluster and of this life of its database. */
@NullMarked
package io.muster.job.cluster;

import org.jspecify.annotations.NullMarked;
