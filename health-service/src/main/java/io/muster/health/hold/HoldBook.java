package io.muster.health.hold;

import io.muster.contract.node.Hold;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The open holds of one node and its GPUs, oldest first. One matter (cause, target, owner) is held once: new evidence
 * renews message, session and earliest lift of the hold that is open. Only the owner lifts, and health-service lifts
 * only what passed checks speak against; a new session by itself lifts nothing.
 */
public record HoldBook(List<OpenHold> open) {

    /** The owner of what health-service opened itself. */
    public static final String HEALTH = "health";

    /** The owner of what health-service opened and any person who may operate nodes lifts. */
    public static final String OPERATORS = "operators";

    public static final HoldBook EMPTY = new HoldBook(List.of());

    public HoldBook {
        open = List.copyOf(open);
    }

    public HoldBook with(HoldOpening opening, Supplier<String> newId, Instant now) {
        Optional<OpenHold> known =
                open.stream().filter(hold -> hold.sameMatter(opening)).findFirst();
        if (known.isEmpty()) {
            List<OpenHold> more = new ArrayList<>(open);
            more.add(hold(opening, newId.get(), now));
            return new HoldBook(more);
        }
        OpenHold before = known.get();
        OpenHold renewed = new OpenHold(
                before.cause(),
                hold(opening, before.hold().holdId(), before.hold().since()).hold(),
                later(before.notBefore(), opening.notBefore()));
        return new HoldBook(
                open.stream().map(hold -> hold == before ? renewed : hold).toList());
    }

    /** The owner lifts its holds of this cause; those of others stay. */
    public HoldBook liftedBy(String owner, HoldCause cause) {
        return without(hold -> hold.cause() == cause && hold.hold().owner().equals(owner));
    }

    public HoldBook withoutExpired(Instant now) {
        return without(hold -> hold.expired(now));
    }

    /**
     * All tier-A checks of this session have passed: what they speak against is lifted.
     *
     * @param asked the holds when the checks were asked for; what was opened or renewed since is newer evidence
     * @param stillVetoed GPU targets that their agent still keeps out
     */
    public HoldBook afterPassedChecks(HoldBook asked, long session, Set<String> stillVetoed, Instant now) {
        return without(hold -> asked.open.contains(hold)
                && hold.answeredByChecks(session, now)
                && !(hold.cause() == HoldCause.GPU_VETOED
                        && stillVetoed.contains(hold.hold().target())));
    }

    /** Whether passed checks could lift something now. */
    public boolean wantsChecks(long session, Set<String> stillVetoed, Instant now) {
        return afterPassedChecks(this, session, stillVetoed, now).open.size() < open.size();
    }

    public Optional<OpenHold> find(HoldCause cause, String target) {
        return open.stream()
                .filter(hold -> hold.cause() == cause && hold.hold().target().equals(target))
                .findFirst();
    }

    public List<Hold> holds() {
        return open.stream().map(OpenHold::hold).toList();
    }

    private HoldBook without(Predicate<OpenHold> gone) {
        return new HoldBook(open.stream().filter(gone.negate()).toList());
    }

    private static OpenHold hold(HoldOpening opening, String id, Instant since) {
        HoldCause cause = opening.cause();
        return new OpenHold(
                cause,
                new Hold(
                        id,
                        cause.scope(),
                        opening.target(),
                        cause.effect(),
                        cause.name(),
                        opening.message(),
                        opening.owner(),
                        opening.session(),
                        since,
                        null),
                opening.notBefore());
    }

    private static @Nullable Instant later(@Nullable Instant one, @Nullable Instant other) {
        if (one == null || other == null) {
            return one == null ? other : one;
        }
        return one.isAfter(other) ? one : other;
    }
}
