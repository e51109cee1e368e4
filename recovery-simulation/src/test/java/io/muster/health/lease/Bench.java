package io.muster.health.lease;

import io.muster.edge.id.Ids;
import io.muster.health.node.Nodes;
import io.muster.simulation.Database;
import io.muster.simulation.Hidden;
import io.muster.simulation.Kernel;
import io.muster.simulation.Several;
import java.lang.reflect.Method;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Where the judge sits: the seat's row without SQL, and the real judge of leases. */
public final class Bench {

    public static final LeaseProperties PROPERTIES =
            new LeaseProperties(Duration.ofSeconds(1), Duration.ofSeconds(3), Duration.ofSeconds(5), "http://judge");
    private static final Method SWEEP = Hidden.method(Judge.class, "sweep");
    private static final Method TURN = Hidden.method(Judge.class, "turn", String.class);

    private final Kernel kernel;
    private final Row row = new Row();
    private long term;
    private @Nullable String holder;
    private Instant until = Instant.MIN;

    public Bench(Kernel kernel, Database database) {
        this.kernel = kernel;
    }

    /** What one life of the service has. */
    public final class Sitting {
        public final JudgeSeat seat;
        public final LeaseJudge leases;
        public final LeaseVerdicts verdicts = new LeaseVerdicts();
        public final Sweeper sweeper;
        private @Nullable Judge judge;

        private Sitting(Ids ids, Places places) {
            this.seat = new JudgeSeat(row, PROPERTIES, ids);
            this.leases =
                    new LeaseJudge(PROPERTIES.lease(), PROPERTIES.heartbeat(), PROPERTIES.sweepEvery(), kernel.nanos());
            this.sweeper = new LeaseConfiguration().sweeper(leases, PROPERTIES, places, ids);
        }

        public void begin(Nodes nodes, List<JudgeDuty> duties) {
            judge = new Judge(
                    seat,
                    sweeper,
                    verdicts,
                    nodes,
                    new Several<>(duties),
                    PROPERTIES,
                    kernel::nanos,
                    new StandardEnvironment());
        }

        public void sweep() {
            Hidden.call(SWEEP, judge);
        }

        public void turn() {
            Hidden.call(TURN, judge, "http://judge");
        }
    }

    public Sitting sit(Ids ids, Places places) {
        return new Sitting(ids, places);
    }

    @SuppressWarnings("NullAway")
    private final class Row extends JudgeSeatRepository {

        private Row() {
            super((JdbcClient) null);
        }

        @Override
        Optional<Long> take(String taker, String url, Duration life) {
            if (!until.isBefore(kernel.instant())) {
                return Optional.empty();
            }
            holder = taker;
            until = kernel.instant().plus(life);
            return Optional.of(++term);
        }

        @Override
        boolean renew(String claimant, long claimed, Duration life) {
            if (!stillHeld(claimant, claimed)) {
                return false;
            }
            until = kernel.instant().plus(life);
            return true;
        }

        @Override
        void release(String claimant, long claimed) {
            if (stillHeld(claimant, claimed)) {
                until = Instant.MIN;
            }
        }

        @Override
        Optional<String> judgeUrl() {
            return Optional.empty();
        }

        @Override
        boolean stillHeld(String claimant, long claimed) {
            return claimant.equals(holder) && term == claimed;
        }
    }
}
