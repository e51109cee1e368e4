/** How refusals are answered: always RFC 9457, never a stack trace. */
@NullMarked
package io.muster.edge.problem;

import org.jspecify.annotations.NullMarked;
