package io.muster.agent.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.muster.agent.logs.LogTail;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever a rank puts in a file's place, reading it ends at once. */
class RegularFileTest {

    @TempDir
    Path folder;

    /** One of each kind that is no regular file. */
    public static Path put(String kind, Path at) throws IOException, InterruptedException {
        switch (kind) {
            case "pipe" ->
                assertThat(new ProcessBuilder("mkfifo", at.toString()).start().waitFor())
                        .isZero();
            case "folder" -> Files.createDirectory(at);
            case "link" -> Files.createSymbolicLink(at, Files.writeString(at.resolveSibling("secret"), "token"));
            case "device" -> Files.createSymbolicLink(at, Path.of("/dev/zero"));
            case "dangling" -> Files.createSymbolicLink(at, at.resolveSibling("nowhere"));
            case "socket" -> {
                try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
                    server.bind(UnixDomainSocketAddress.of(at));
                }
            }
            default -> throw new IllegalArgumentException(kind);
        }
        return at;
    }

    @ParameterizedTest
    @ValueSource(strings = {"pipe", "folder", "link", "device", "dangling", "socket"})
    void nothingButARegularFileIsOpened(String kind) throws Exception {
        Path file = put(kind, folder.resolve("f"));
        assertTimeoutPreemptively(Duration.ofSeconds(10), () -> {
            assertThatThrownBy(() -> RegularFile.open(file))
                    .isInstanceOf(IOException.class)
                    .isNotInstanceOf(NoSuchFileException.class);
            assertThatThrownBy(() -> SafeFile.read(file, 32)).isInstanceOf(IOException.class);
            assertThat(LogTail.read(file)).isEmpty();
        });
    }

    @Test
    void aRegularFileIsReadAndAnAbsentOneIsAbsent() throws IOException {
        Path file = Files.writeString(folder.resolve("f"), "words");
        assertThat(SafeFile.read(file, 32)).contains("words".getBytes());
        assertThat(LogTail.read(file)).isEqualTo("words");
        assertThatThrownBy(() -> RegularFile.open(folder.resolve("none"))).isInstanceOf(NoSuchFileException.class);
        assertThatThrownBy(() -> RegularFile.open(file.resolve("below"))).isInstanceOf(NoSuchFileException.class);
        assertThat(SafeFile.read(folder.resolve("none"), 32)).isEmpty();
    }

    @Test
    void nothingStaysOpen() throws Exception {
        Path file = Files.writeString(folder.resolve("f"), "words");
        Path pipe = put("pipe", folder.resolve("p"));
        for (int time = 0; time < 5; time++) {
            try (FileChannel channel = RegularFile.open(file)) {
                assertThat(channel.size()).isEqualTo(5);
            }
            assertThatThrownBy(() -> RegularFile.open(pipe)).isInstanceOf(IOException.class);
        }
        try (var descriptors = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            for (Path descriptor : descriptors) {
                if (Files.isSymbolicLink(descriptor)) {
                    assertThat(Files.readSymbolicLink(descriptor)).isNotIn(file, pipe);
                }
            }
        }
    }
}
