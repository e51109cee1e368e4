package io.muster.quota.ledger;

import io.muster.contract.problem.Violation;
import java.util.List;

/** What the ledger says to a question about usage. */
sealed interface UsageAnswer {

    record Report(UsageReport report) implements UsageAnswer {}

    record Wrong(List<Violation> violations) implements UsageAnswer {}

    record TooMany(UsageQuestion question, int most) implements UsageAnswer {}
}
