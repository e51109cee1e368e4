/** Where a gang goes: candidate groups, domains, nodes, ranks; and how much room is left when it goes nowhere. */
@NullMarked
package io.muster.scheduling.placement;

import org.jspecify.annotations.NullMarked;
