/** What people see of their jobs. */
@NullMarked
package io.muster.job.query;

import org.jspecify.annotations.NullMarked;
