/** The public fault stream, muster.faults.v1: what broke, what it touched, what was done and what comes next. */
@NullMarked
package io.muster.contract.fault;

import org.jspecify.annotations.NullMarked;
