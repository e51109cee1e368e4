package io.muster.health.lease;

import io.muster.contract.problem.Problem;
import io.muster.edge.id.Ids;
import io.muster.edge.problem.ProblemException;
import io.muster.health.node.Fence;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Whether this instance is the judge. The seat is a lease in the database; while the database is away the judge keeps
 * it, because nobody else can take it either, and its writes are fenced by the term in any case.
 */
@Component
public class JudgeSeat {

    private static final Logger LOG = LoggerFactory.getLogger(JudgeSeat.class);

    private final JudgeSeatRepository repository;
    private final LeaseProperties properties;
    private final String holder;
    private volatile long term;
    private volatile boolean judging;
    private volatile @Nullable String judgeElsewhere;

    JudgeSeat(JudgeSeatRepository repository, LeaseProperties properties, Ids ids) {
        this.repository = repository;
        this.properties = properties;
        this.holder = ids.newId("judge");
    }

    /** Whether this instance judges now: it holds the seat and has loaded what it needs. */
    public boolean judging() {
        return judging;
    }

    /** The judge's address if another instance is the judge. */
    public Optional<String> judgeElsewhere() {
        return judging ? Optional.empty() : Optional.ofNullable(judgeElsewhere);
    }

    /** Lets a write pass only while the term in which it was decided lasts. */
    public Fence fence() {
        long decidedIn = term;
        return () -> {
            if (decidedIn == 0 || !repository.stillHeld(holder, decidedIn)) {
                throw new ProblemException(refusal(503, judgeElsewhere));
            }
        };
    }

    boolean held() {
        return term != 0;
    }

    /** Tries to become the judge; true if it did just now. */
    boolean take(String url) {
        Optional<Long> taken = repository.take(holder, url, properties.judgeSeat());
        if (taken.isEmpty()) {
            judgeElsewhere = repository.judgeUrl().orElse(null);
            return false;
        }
        term = taken.get();
        LOG.info("judge seat taken term={} url={}", term, url);
        return true;
    }

    void beginJudging() {
        judging = true;
    }

    /** False if the seat was lost. */
    boolean renew() {
        if (repository.renew(holder, term, properties.judgeSeat())) {
            return true;
        }
        LOG.warn("judge seat lost term={}: another instance judges", term);
        stepDown();
        return false;
    }

    void release() {
        long held = term;
        stepDown();
        if (held != 0) {
            repository.release(holder, held);
        }
    }

    private void stepDown() {
        judging = false;
        term = 0;
    }

    static Problem refusal(int status, @Nullable String elsewhere) {
        return Problem.of(
                status,
                "NOT_THE_JUDGE",
                "Another instance judges heartbeats",
                elsewhere == null
                        ? "No instance of health-service holds the judge's seat yet."
                        : "The instance at " + elsewhere + " judges heartbeats.",
                elsewhere == null ? "Send the same request again in a second." : "Send the same request there.");
    }
}
