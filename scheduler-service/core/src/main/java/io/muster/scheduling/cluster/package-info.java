/** The cluster as the decision thread sees it: records, immutable images and the working copy between them. */
@NullMarked
package io.muster.scheduling.cluster;

import org.jspecify.annotations.NullMarked;
