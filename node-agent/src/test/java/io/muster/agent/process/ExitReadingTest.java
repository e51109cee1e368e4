package io.muster.agent.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.contract.agent.ExitCause;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ExitReadingTest {

    private static final String TRACE = "step 1\nTraceback (most recent call last):\n  File \"t.py\", line 1\n    x\n";

    static Stream<Arguments> table() {
        return Stream.of(
                Arguments.of(0, "bye\n", null, false, ExitCause.COMPLETED, null, "bye"),
                Arguments.of(0, "", null, false, ExitCause.COMPLETED, null, null),
                Arguments.of(1, TRACE + "KeyError: 'a'\n", null, false, ExitCause.USER_ERROR, null, "KeyError: 'a'"),
                Arguments.of(
                        1,
                        TRACE + "KeyError: 'a'\nafterwards\n",
                        null,
                        false,
                        ExitCause.USER_ERROR,
                        null,
                        "KeyError: 'a'"),
                Arguments.of(
                        1,
                        TRACE + "KeyError: 'a'\n\nDuring handling:\n\n" + TRACE + "ValueError: b\n",
                        null,
                        false,
                        ExitCause.USER_ERROR,
                        null,
                        "ValueError: b"),
                Arguments.of(
                        1,
                        "[rank0]: Traceback (most recent call last):\n[rank0]:   File x\n[rank0]: OSError: y\n",
                        null,
                        false,
                        ExitCause.USER_ERROR,
                        null,
                        "OSError: y"),
                Arguments.of(1, TRACE + "MemoryError\n", null, false, ExitCause.OUT_OF_MEMORY, null, "MemoryError"),
                Arguments.of(
                        1,
                        TRACE + "torch.OutOfMemoryError: CUDA out of memory. Tried\n",
                        null,
                        false,
                        ExitCause.OUT_OF_MEMORY,
                        null,
                        "torch.OutOfMemoryError: CUDA out of memory. Tried"),
                Arguments.of(137, "step 4\n", null, true, ExitCause.OUT_OF_MEMORY, 9, "step 4"),
                Arguments.of(137, "step 4\n", null, false, ExitCause.SIGNAL, 9, "step 4"),
                Arguments.of(139, "", null, true, ExitCause.SIGNAL, 11, null),
                Arguments.of(
                        1,
                        TRACE + "ConnectionError: Connection closed by peer\n",
                        null,
                        false,
                        ExitCause.LOST_CONNECTION,
                        null,
                        "ConnectionError: Connection closed by peer"),
                Arguments.of(
                        1,
                        TRACE + "BrokenPipeError: [Errno 32] Broken pipe\n",
                        null,
                        false,
                        ExitCause.LOST_CONNECTION,
                        null,
                        "BrokenPipeError: [Errno 32] Broken pipe"),
                // a peer's end that was survived and printed is not why this rank ended
                Arguments.of(
                        1,
                        "warning: connection reset, retrying\n" + TRACE + "ValueError: mine\n",
                        null,
                        false,
                        ExitCause.USER_ERROR,
                        null,
                        "ValueError: mine"),
                Arguments.of(2, "usage: x\n", null, false, ExitCause.USER_ERROR, null, "usage: x"),
                Arguments.of(
                        127,
                        "/usr/bin/nice: ‘nope’: No such file or directory\n",
                        null,
                        false,
                        ExitCause.START_FAILED,
                        null,
                        "cannot start ‘nope’: No such file or directory"),
                Arguments.of(
                        127,
                        "sh: 1: foo: not found\n",
                        null,
                        false,
                        ExitCause.USER_ERROR,
                        null,
                        "sh: 1: foo: not found"),
                Arguments.of(
                        143,
                        TRACE + "KeyError: 'a'\n",
                        ExitCause.STOPPED,
                        false,
                        ExitCause.STOPPED,
                        15,
                        "KeyError: 'a'"),
                Arguments.of(0, "", ExitCause.AGENT_DOWN, false, ExitCause.AGENT_DOWN, null, null));
    }

    @ParameterizedTest
    @MethodSource("table")
    void reads(
            int code,
            String tail,
            @Nullable ExitCause stopped,
            boolean memoryKill,
            ExitCause cause,
            @Nullable Integer signal,
            @Nullable String lastLine) {
        assertThat(ExitReading.read(new ExitReading.Evidence(code, tail, stopped, memoryKill)))
                .isEqualTo(new ExitReading.Reading(cause, signal, lastLine));
    }
}
