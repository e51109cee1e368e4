/** What was held, by whom, from when to when; and the bills made of it. */
@NullMarked
package io.muster.quota.ledger;

import org.jspecify.annotations.NullMarked;
