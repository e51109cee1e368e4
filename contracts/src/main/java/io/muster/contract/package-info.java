/** The published language of Muster: topics and event types. A change here is a change for every service. */
@NullMarked
package io.muster.contract;

import org.jspecify.annotations.NullMarked;
