/** Where the GPU time of a job went. Pure: knows neither jobs nor storage. */
@NullMarked
package io.muster.job.waste;

import org.jspecify.annotations.NullMarked;
