package io.muster.checkpoint.catalog;

import static io.muster.checkpoint.catalog.Checkpoints.JOB;
import static io.muster.checkpoint.catalog.Checkpoints.committed;
import static io.muster.checkpoint.catalog.Checkpoints.of;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.contract.checkpoint.CheckpointPhase;
import io.muster.contract.checkpoint.RestoreRequest;
import io.muster.contract.checkpoint.RestoreVerdict;
import io.muster.contract.id.ProjectId;
import io.muster.contract.id.TenantId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class RestoreChoiceTest {

    private static final Checkpoint FIRST = committed(1, 1, 20, 4);
    private static final Checkpoint SECOND = committed(2, 1, 90, 4);
    private static final Checkpoint NEWEST = committed(3, 2, 40, 4);
    private static final Checkpoint WIDER = committed(4, 2, 50, 8);
    private static final Checkpoint FOREIGN = committed(5, 1, 70, 4);

    /** resumeFrom; facts; verdict, what is restored, what is newer; words of the message. */
    static Stream<Arguments> rows() {
        return Stream.of(
                row("latest", facts(), RestoreVerdict.FRESH, null, null, "has never committed a checkpoint"),
                row(
                        "latest",
                        facts(good(NEWEST), good(SECOND)),
                        RestoreVerdict.RESTORED,
                        NEWEST,
                        null,
                        "restores chk_00000003 of step 40: the newest commit of job_00000001"),
                row(
                        "latest",
                        facts(gone(NEWEST), good(SECOND)),
                        RestoreVerdict.RESTORED,
                        SECOND,
                        NEWEST,
                        "restores chk_00000002 of step 90: the newest that can be restored; passed over: chk_00000003"
                                + " of step 40 (rank 1 has no copy left); this is although chk_00000003 of step 40 is"
                                + " the newest commit of job_00000001"),
                row(
                        "latest",
                        facts(gone(NEWEST), corrupt(2), good(FIRST)),
                        RestoreVerdict.RESTORED,
                        FIRST,
                        NEWEST,
                        "chk_00000002 of step 7 (CORRUPT: overtaken)"),
                row(
                        "latest",
                        facts(gone(NEWEST), corrupt(2)),
                        RestoreVerdict.FRESH,
                        null,
                        NEWEST,
                        "no commit of job_00000001 can be restored any more; passed over: chk_00000003 of step 40 (rank"
                                + " 1 has no copy left), chk_00000002 of step 7 (CORRUPT: overtaken)"),
                row(
                        "latest",
                        withBase(good(FOREIGN)),
                        RestoreVerdict.RESTORED,
                        FOREIGN,
                        null,
                        "committed nothing itself"),
                row(
                        "latest",
                        withBase(good(FOREIGN), gone(NEWEST)),
                        RestoreVerdict.RESTORED,
                        FOREIGN,
                        NEWEST,
                        "nothing of its own is left; passed over: chk_00000003"),
                row(
                        "latest",
                        withBase(gone(FOREIGN)),
                        RestoreVerdict.REFUSED,
                        null,
                        null,
                        "began from chk_00000005 of step 70, which cannot be restored any more"),
                row(
                        "latest",
                        facts(good(WIDER)),
                        RestoreVerdict.REFUSED,
                        null,
                        null,
                        "saved by 8 ranks, attempt 3 has 4"),
                row(
                        "latest",
                        facts(gone(NEWEST), good(committed(2, 1, 30, 8))),
                        RestoreVerdict.REFUSED,
                        null,
                        null,
                        "saved by 8 ranks"),
                row("none", facts(), RestoreVerdict.FRESH, null, null, "resumeFrom is none"),
                row(
                        "none",
                        facts(good(NEWEST)),
                        RestoreVerdict.FRESH,
                        null,
                        NEWEST,
                        "although chk_00000003 of step 40 is the newest commit"),
                row(
                        "chk_00000002",
                        naming(good(SECOND), null, good(NEWEST), good(SECOND)),
                        RestoreVerdict.RESTORED,
                        SECOND,
                        NEWEST,
                        "although chk_00000003 of step 40"),
                row(
                        "chk_00000003",
                        naming(good(NEWEST), NEWEST, good(NEWEST)),
                        RestoreVerdict.RESTORED,
                        NEWEST,
                        null,
                        "named by resumeFrom"),
                row(
                        "chk_00000002",
                        naming(good(SECOND), NEWEST),
                        RestoreVerdict.RESTORED,
                        SECOND,
                        NEWEST,
                        "although chk_00000003 of step 40"),
                row(
                        "chk_00000002",
                        naming(gone(SECOND), null, good(NEWEST)),
                        RestoreVerdict.REFUSED,
                        null,
                        null,
                        "named by resumeFrom, but cannot be restored (rank 1 has no copy left)"),
                row(
                        "chk_00000009",
                        facts(good(NEWEST)),
                        RestoreVerdict.REFUSED,
                        null,
                        null,
                        "no such checkpoint in project llm of research"),
                row("newest", facts(good(NEWEST)), RestoreVerdict.REFUSED, null, null, "resumeFrom is 'newest'"),
                row("chk_00000004", naming(good(WIDER), null), RestoreVerdict.REFUSED, null, null, "saved by 8 ranks"));
    }

    @ParameterizedTest
    @MethodSource("rows")
    void everyStartIsDecidedAndExplained(
            String resumeFrom,
            RestoreChoice.Facts facts,
            RestoreVerdict verdict,
            @Nullable Checkpoint chosen,
            @Nullable Checkpoint newer,
            String words) {
        AttemptStart start = RestoreChoice.choose(request(resumeFrom), facts);
        assertThat(start.verdict()).isEqualTo(verdict);
        assertThat(start.checkpointId()).isEqualTo(chosen == null ? null : chosen.id());
        assertThat(start.step()).isEqualTo(chosen == null ? 0 : chosen.step());
        assertThat(start.newer()).isEqualTo(newer == null ? null : newer.id());
        assertThat(start.message()).contains(words);
    }

    @ParameterizedTest
    @EnumSource(value = CheckpointPhase.class, mode = EnumSource.Mode.EXCLUDE, names = "COMMITTED")
    void onlyWhatIsCommittedIsRestored(CheckpointPhase phase) {
        Checkpoint named = of(5, 1, 7, 4, phase);
        AttemptStart start = RestoreChoice.choose(request("chk_00000005"), naming(good(named), null, good(NEWEST)));
        assertThat(start.verdict()).isEqualTo(RestoreVerdict.REFUSED);
        assertThat(start.message()).contains("chk_00000005 of step 7", phase.name());
        AttemptStart latest = RestoreChoice.choose(
                request("latest"),
                new RestoreChoice.Facts(List.of(good(named), good(FIRST)), NEWEST, null, null, null, null));
        assertThat(latest.checkpointId()).isEqualTo(FIRST.id());
    }

    @Test
    void whatIsGivenUpIsSaidWithBothIdsAndTheTimeBetween() {
        var older = at(FIRST, Duration.ZERO);
        var newer = at(NEWEST, Duration.ofHours(17).plusMinutes(4).plusSeconds(9));
        AttemptStart start =
                RestoreChoice.choose(request(older.id().value()), naming(good(older), null, good(newer), good(older)));
        assertThat(start.message())
                .isEqualTo("attempt 3 restores chk_00000001 of step 20: named by resumeFrom; this is although"
                        + " chk_00000003 of step 40 is the newest commit of job_00000001: 17 h 4 min 9 s of committed"
                        + " work are given up; chk_00000003 stays where it is");
    }

    @Test
    void alongALineageThatAPersonBeganTheReasonIsThatPersonsChoice() {
        var origin =
                new AttemptStart(2, 4, FIRST.id().value(), RestoreVerdict.RESTORED, FIRST.id(), 20, NEWEST.id(), "");
        AttemptStart start = RestoreChoice.choose(
                request("latest"), new RestoreChoice.Facts(List.of(good(FIRST)), NEWEST, origin, null, null, null));
        assertThat(start.checkpointId()).isEqualTo(FIRST.id());
        assertThat(start.newer()).isEqualTo(NEWEST.id());
        assertThat(start.message())
                .contains("attempt 2 was told to start from chk_00000001", "chk_00000003 of step 40");
    }

    @Test
    void ofManyThatAreGoneTheFirstFiveAreNamedAndTheOthersCounted() {
        List<Candidate> line = new ArrayList<>();
        for (int number = 9; number >= 1; number--) {
            line.add(gone(committed(number, 1, number, 4)));
        }
        AttemptStart start = RestoreChoice.choose(request("latest"), facts(line.toArray(Candidate[]::new)));
        assertThat(start.verdict()).isEqualTo(RestoreVerdict.FRESH);
        assertThat(start.message())
                .contains("chk_00000009", "chk_00000005", "and 4 older ones")
                .doesNotContain("chk_00000004");
    }

    /** Of any line, what is restored is its first restorable commit; FRESH only where there is none. */
    @Test
    void theNewestThatCanBeRestoredIsChosenOfAnyLine() {
        var random = new Random(17);
        for (int round = 0; round < 2_000; round++) {
            List<Candidate> line = new ArrayList<>();
            @Nullable Checkpoint expected = null;
            for (int number = 1 + random.nextInt(6); number >= 1; number--) {
                Checkpoint commit = committed(number, 1, random.nextInt(100), 4);
                Candidate one = switch (random.nextInt(3)) {
                    case 0 -> good(commit);
                    case 1 -> gone(commit);
                    default -> corrupt(number);
                };
                line.add(one);
                if (expected == null && one.unusable() == null) {
                    expected = one.checkpoint();
                }
            }
            AttemptStart start = RestoreChoice.choose(request("latest"), facts(line.toArray(Candidate[]::new)));
            assertThat(start.checkpointId()).isEqualTo(expected == null ? null : expected.id());
            assertThat(start.verdict()).isEqualTo(expected == null ? RestoreVerdict.FRESH : RestoreVerdict.RESTORED);
            boolean older = expected == null
                    || !expected.id().equals(line.getFirst().checkpoint().id());
            assertThat(start.newer() != null).as(start.message()).isEqualTo(older);
        }
    }

    private static Candidate good(Checkpoint checkpoint) {
        return new Candidate(checkpoint, null);
    }

    private static Candidate gone(Checkpoint checkpoint) {
        return new Candidate(checkpoint, "rank 1 has no copy left");
    }

    private static Candidate corrupt(int number) {
        return new Candidate(of(number, 1, 7, 4, CheckpointPhase.CORRUPT), null);
    }

    private static RestoreChoice.Facts facts(Candidate... line) {
        return new RestoreChoice.Facts(List.of(line), newest(line), null, null, null, null);
    }

    private static RestoreChoice.Facts withBase(Candidate base, Candidate... line) {
        return new RestoreChoice.Facts(List.of(line), newest(line), null, base, null, null);
    }

    private static RestoreChoice.Facts naming(Candidate named, @Nullable Checkpoint newestOfNamed, Candidate... line) {
        return new RestoreChoice.Facts(List.of(line), newest(line), null, null, named, newestOfNamed);
    }

    private static @Nullable Checkpoint newest(Candidate... line) {
        return line.length == 0 ? null : line[0].checkpoint();
    }

    private static Checkpoint at(Checkpoint one, Duration later) {
        return new Checkpoint(
                one.id(),
                one.jobId(),
                one.attempt(),
                one.step(),
                one.worldSize(),
                one.phase(),
                one.parentId(),
                one.reservedAt(),
                one.deadline(),
                Checkpoints.NOW.plus(later),
                one.commitVersion(),
                one.durability(),
                one.sizeBytes(),
                one.reason());
    }

    private static RestoreRequest request(String resumeFrom) {
        return new RestoreRequest(JOB, new TenantId("research"), new ProjectId("llm"), 3, resumeFrom, 4, List.of());
    }

    private static Arguments row(
            String resumeFrom,
            RestoreChoice.Facts facts,
            RestoreVerdict verdict,
            @Nullable Checkpoint chosen,
            @Nullable Checkpoint newer,
            String words) {
        return Arguments.of(resumeFrom, facts, verdict, chosen, newer, words);
    }
}
