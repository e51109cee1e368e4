package io.muster.checkpoint.catalog;

import java.util.List;
import static io.muster.checkpoint.catalog.Checkpoints.JOB;
import static io.muster.checkpoint.catalog.Checkpoints.committed;
import static io.muster.checkpoint.catalog.Checkpoints.of;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.contract.checkpoint.CheckpointPhase;
import io.muster.contract.checkpoint.RestoreRequest;
import io.muster.contract.checkpoint.RestoreVerdict;
import io.muster.contract.id.ProjectId;
import io.muster.contract.id.TenantId;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class RestoreChoiceTest {

    private static final Checkpoint NEWEST = committed(3, 2, 40, 4);
    private static final Checkpoint OTHER = committed(2, 1, 90, 4);
    private static final Checkpoint WIDER = committed(4, 2, 50, 8);

    /** resumeFrom; newest commit, base, named; verdict, what is restored, words of the message. */
    static Stream<Arguments> rows() {
        return Stream.of(
                row("latest", null, null, null, RestoreVerdict.FRESH, null, "has never committed a checkpoint"),
                row("latest", NEWEST, null, null, RestoreVerdict.RESTORED, NEWEST, "restores chk_00000003 of step 40"),
                row(
                        "latest",
                        NEWEST,
                        OTHER,
                        null,
                        RestoreVerdict.RESTORED,
                        NEWEST,
                        "the newest commit of job_00000001"),
                row("latest", null, OTHER, null, RestoreVerdict.RESTORED, OTHER, "committed nothing itself"),
                row("latest", WIDER, null, null, RestoreVerdict.REFUSED, null, "saved by 8 ranks, attempt 3 has 4"),
                row("none", NEWEST, OTHER, null, RestoreVerdict.FRESH, null, "resumeFrom is none"),
                row(
                        "chk_00000002",
                        NEWEST,
                        null,
                        OTHER,
                        RestoreVerdict.RESTORED,
                        OTHER,
                        "although chk_00000003 of step 40"),
                row("chk_00000003", NEWEST, null, NEWEST, RestoreVerdict.RESTORED, NEWEST, "named by resumeFrom"),
                row("chk_00000002", null, null, OTHER, RestoreVerdict.RESTORED, OTHER, "named by resumeFrom"),
                row(
                        "chk_00000009",
                        NEWEST,
                        null,
                        null,
                        RestoreVerdict.REFUSED,
                        null,
                        "no such checkpoint in project llm of research"),
                row("newest", NEWEST, null, null, RestoreVerdict.REFUSED, null, "resumeFrom is 'newest'"),
                row("chk_00000004", NEWEST, null, WIDER, RestoreVerdict.REFUSED, null, "saved by 8 ranks"));
    }

    @ParameterizedTest
    @MethodSource("rows")
    void everyStartIsDecidedAndExplained(
            String resumeFrom,
            RestoreChoice.Facts facts,
            RestoreVerdict verdict,
            @Nullable Checkpoint chosen,
            String words) {
        AttemptStart start = RestoreChoice.choose(request(resumeFrom), facts);
        assertThat(start.verdict()).isEqualTo(verdict);
        assertThat(start.checkpointId()).isEqualTo(chosen == null ? null : chosen.id());
        assertThat(start.step()).isEqualTo(chosen == null ? 0 : chosen.step());
        assertThat(start.message()).contains(words);
    }

    @ParameterizedTest
    @EnumSource(value = CheckpointPhase.class, mode = EnumSource.Mode.EXCLUDE, names = "COMMITTED")
    void onlyWhatIsCommittedIsRestored(CheckpointPhase phase) {
        Checkpoint named = of(5, 1, 7, 4, phase);
        AttemptStart start =
                RestoreChoice.choose(request("chk_00000005"), new RestoreChoice.Facts(NEWEST, null, named));
        assertThat(start.verdict()).isEqualTo(RestoreVerdict.REFUSED);
        assertThat(start.message()).contains("chk_00000005 of step 7 is " + phase);
    }

    private static RestoreRequest request(String resumeFrom) {
        return new RestoreRequest(JOB, new TenantId("research"), new ProjectId("llm"), 3, resumeFrom, 4, List.of());
    }

    private static Arguments row(
            String resumeFrom,
            @Nullable Checkpoint newest,
            @Nullable Checkpoint base,
            @Nullable Checkpoint named,
            RestoreVerdict verdict,
            @Nullable Checkpoint chosen,
            String words) {
        return Arguments.of(resumeFrom, new RestoreChoice.Facts(newest, base, named), verdict, chosen, words);
    }
}
