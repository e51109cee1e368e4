/** What a job asks for: a gang, its constraints and the small values they are made of. Knows nothing of a cluster. */
@NullMarked
package io.muster.scheduling.gang;

import org.jspecify.annotations.NullMarked;
