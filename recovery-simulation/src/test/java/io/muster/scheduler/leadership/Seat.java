package io.muster.scheduler.leadership;

import io.muster.scheduler.intake.ChangeSignal;
import io.muster.simulation.Database;
import io.muster.simulation.Kernel;
import io.muster.simulation.Life;
import io.muster.simulation.Mutation;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The leader's lease without SQL: one row that outlives all instances, and each instance's belief about it. */
public final class Seat {

    private static final Duration LEASE = Duration.ofSeconds(3);

    private final Kernel kernel;
    private final Database database;
    private final Mutation mutation;
    private final Lease lease = new Lease();
    private long epoch;
    private Instant expires = Instant.MIN;
    private Instant lastCommit = Instant.MIN;

    public Seat(Kernel kernel, Database database, Mutation mutation) {
        this.kernel = kernel;
        this.database = database;
        this.mutation = mutation;
    }

    public LeaseRepository lease() {
        return lease;
    }

    public long epoch() {
        return epoch;
    }

    /** What one instance believes, from its start to its end. */
    public Leadership belief(Life life) {
        return new Belief(life);
    }

    @SuppressWarnings("NullAway")
    private final class Lease extends LeaseRepository {

        private Lease() {
            super((JdbcClient) null);
        }

        @Override
        OptionalLong takeOver(String holder, Duration life) {
            if (!expires.isBefore(kernel.instant())) {
                return OptionalLong.empty();
            }
            epoch++;
            expires = kernel.instant().plus(life);
            return OptionalLong.of(epoch);
        }

        @Override
        boolean renew(long held, Duration life) {
            if (held == epoch) {
                expires = kernel.instant().plus(life);
            }
            return held == epoch;
        }

        @Override
        public Optional<Instant> fence(long claimed) {
            if (claimed != epoch && mutation != Mutation.EPOCH_IGNORED) {
                return Optional.empty();
            }
            Instant before = lastCommit;
            database.undo(() -> lastCommit = before);
            lastCommit = before.isAfter(kernel.instant()) ? before : kernel.instant();
            return Optional.of(lastCommit);
        }
    }

    /** The tick of the lease's thread; everything else is the real class. */
    @SuppressWarnings("NullAway")
    private final class Belief extends Leadership {

        private final Life life;
        private long held;

        private Belief(Life life) {
            super(
                    lease,
                    new SchedulerProperties(LEASE, Duration.ofMillis(200), 64),
                    new InstanceName("x"),
                    new ChangeSignal());
            this.life = life;
            tick();
        }

        @Override
        public OptionalLong epoch() {
            return held == 0 ? OptionalLong.empty() : OptionalLong.of(held);
        }

        @Override
        public void lost(long refused) {
            if (held == refused) {
                held = 0;
            }
        }

        private void tick() {
            if (held == 0) {
                lease.takeOver(life.name(), LEASE).ifPresent(risen -> {
                    held = risen;
                    kernel.tell(life.name() + " leads, epoch " + risen);
                });
            } else if (!lease.renew(held, LEASE)) {
                lost(held);
            }
            life.after(LEASE.toMillis() / 3, this::tick);
        }
    }
}
