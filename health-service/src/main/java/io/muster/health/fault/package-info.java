/** Faults: what broke, what it touched, what was done and what comes next. They record and notify; nothing waits for them. */
@NullMarked
package io.muster.health.fault;

import org.jspecify.annotations.NullMarked;
