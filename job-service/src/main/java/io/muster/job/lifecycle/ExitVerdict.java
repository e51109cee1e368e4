package io.muster.job.lifecycle;

import io.muster.contract.agent.ExitCause;
import io.muster.contract.agent.RankExit;
import io.muster.contract.agent.RankReport;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Why an attempt broke: the strongest cause over everything its members have shown, whatever the order in which they
 * showed it. Strongest first: a lost node; an agent that was shut down; out of memory; a program that could not be
 * started; an error of the program; a signal; processes that vanished without a word; a lost connection, which is what
 * peers of any of the others die of. Equal causes: the lowest rank is named.
 *
 * <p>When the verdict is due is the business of {@link EvidenceBarrier}. A node whose lease is lost counts as lost here, also
 * before a hold says so.
 */
final class ExitVerdict {

    private static final int LAST_LINE_SHOWN = 500;

    private static final List<JobReason> STRONGEST_FIRST = List.of(
            JobReason.NODE_LOST,
            JobReason.AGENT_DOWN,
            JobReason.OUT_OF_MEMORY,
            JobReason.START_FAILED,
            JobReason.USER_ERROR,
            JobReason.KILLED_BY_SIGNAL,
            JobReason.PROCESSES_LOST,
            JobReason.LOST_CONNECTION);

    /**
     * A cause with the rank it was seen at.
     *
     * @param lastLine what the process said last; null if nothing
     */
    record Cause(
            JobReason reason,
            int rank,
            String message,
            @Nullable String lastLine) {}

    private ExitVerdict() {}

    /** Empty while nothing has gone wrong. */
    static Optional<Cause> strongest(List<Member> members, int processes) {
        return members.stream()
                .flatMap(member -> causes(member, processes))
                .min(Comparator.comparingInt((Cause cause) -> STRONGEST_FIRST.indexOf(cause.reason))
                        .thenComparingInt(Cause::rank));
    }

    /** Whether the verdict came from what the members have shown, so that a lost node would have outweighed it. */
    static boolean weakerThanALostNode(JobReason reason) {
        return STRONGEST_FIRST.indexOf(reason) > STRONGEST_FIRST.indexOf(JobReason.NODE_LOST);
    }

    static boolean allCompleted(List<Member> members, int processes) {
        return members.stream()
                .allMatch(member -> member.allExited(processes)
                        && member.ranks().stream().allMatch(rank -> completed(rank.exit())));
    }

    private static Stream<Cause> causes(Member member, int processes) {
        if (member.lost() && !completed(member, processes)) {
            return Stream.of(new Cause(
                    JobReason.NODE_LOST,
                    firstRank(member),
                    "node " + member.node() + " (node rank " + member.nodeRank()
                            + ") was lost with its part of the job",
                    null));
        }
        if (member.evidence().inQuestion() && !completed(member, processes)) {
            return Stream.of(new Cause(
                    JobReason.NODE_LOST,
                    firstRank(member),
                    "node " + member.node() + " (node rank " + member.nodeRank() + ") is silent and its lease is lost",
                    null));
        }
        Stream<Cause> exits = member.ranks().stream().flatMap(rank -> cause(member, rank).stream());
        boolean vanished = member.gone() && !member.allExited(processes);
        return vanished ? Stream.concat(exits, Stream.of(vanished(member, processes))) : exits;
    }

    private static boolean completed(Member member, int processes) {
        return member.allExited(processes) && member.ranks().stream().allMatch(rank -> completed(rank.exit()));
    }

    private static Cause vanished(Member member, int processes) {
        long ended = member.ranks().stream().filter(rank -> rank.exit() != null).count();
        return new Cause(
                JobReason.PROCESSES_LOST,
                firstRank(member),
                "node " + member.node() + " says that all " + processes + " of its processes are gone, but only "
                        + ended + " of them were seen to end",
                null);
    }

    private static Optional<Cause> cause(Member member, RankReport rank) {
        RankExit exit = rank.exit();
        if (exit == null || completed(exit)) {
            return Optional.empty();
        }
        String message = message(member, rank.rank(), exit);
        return Optional.of(new Cause(reason(exit), rank.rank(), message, exit.lastLine()));
    }

    private static JobReason reason(RankExit exit) {
        return switch (exit.cause()) {
            case COMPLETED, USER_ERROR -> JobReason.USER_ERROR;
            case OUT_OF_MEMORY -> JobReason.OUT_OF_MEMORY;
            case SIGNAL, STOPPED -> JobReason.KILLED_BY_SIGNAL;
            case LOST_CONNECTION -> JobReason.LOST_CONNECTION;
            case START_FAILED -> JobReason.START_FAILED;
            case AGENT_DOWN -> JobReason.AGENT_DOWN;
        };
    }

    /** What is known of one exit after another word about it: the kernel may say later why a process was killed. */
    static @Nullable RankExit stronger(@Nullable RankExit known, @Nullable RankExit told) {
        if (known == null || told == null) {
            return known == null ? told : known;
        }
        boolean better = STRONGEST_FIRST.indexOf(reason(told)) < STRONGEST_FIRST.indexOf(reason(known));
        return better && !completed(known) && !completed(told) ? told : known;
    }

    private static boolean completed(@Nullable RankExit exit) {
        return exit != null && exit.code() == 0 && exit.cause() == ExitCause.COMPLETED;
    }

    private static String message(Member member, int rank, RankExit exit) {
        String how = exit.signal() == null
                ? "ended with exit code " + exit.code()
                : "was ended by signal " + exit.signal() + " (exit code " + exit.code() + ")";
        String last = exit.lastLine();
        String line = last == null || last.isBlank()
                ? ""
                : ": " + (last.length() > LAST_LINE_SHOWN ? last.substring(0, LAST_LINE_SHOWN) + "…" : last);
        return "rank " + rank + " on node " + member.node() + " " + how + line;
    }

    private static int firstRank(Member member) {
        return member.ranks().stream().mapToInt(RankReport::rank).min().orElse(member.nodeRank());
    }
}
