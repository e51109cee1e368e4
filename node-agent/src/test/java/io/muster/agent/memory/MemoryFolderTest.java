package io.muster.agent.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.muster.agent.disk.SafeFile;
import io.muster.contract.id.NodeId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MemoryFolderTest {

    private static final NodeId NODE = new NodeId("r1-n1");

    @TempDir
    Path folder;

    private final Random random = new Random();

    private Path open(Path home) throws IOException {
        Files.createDirectories(home);
        return MemoryFolder.open(home, NODE, Optional.of(folder.resolve("shm")), Optional.of(7L), random)
                .folder();
    }

    @Test
    void theSameHomeFindsItAgainAndAWipedOneGetsAnEmptyOne() throws IOException {
        Path home = folder.resolve("home");
        Path first = open(home);
        Files.writeString(first.resolve("shard"), "x");
        assertThat(Files.readString(home.resolve("memory.path"))).isEqualTo(first + "\n");
        assertThat(open(home)).isEqualTo(first);
        assertThat(first.resolve("shard")).exists();
        Files.move(home, folder.resolve("moved-away"));
        Path second = open(home);
        assertThat(second).isNotEqualTo(first);
        assertThat(first).as("nobody can reach it any more").doesNotExist();
    }

    @Test
    void whatAWipedNodeLeftIsRemovedByWhoeverStartsNext() throws IOException {
        Path left = open(folder.resolve("wiped"));
        SafeFile.deleteTree(folder.resolve("wiped"));
        open(folder.resolve("home"));
        assertThat(left).doesNotExist();
        Path foreign = Files.createDirectories(folder.resolve("shm/muster-without-owner"));
        open(folder.resolve("home"));
        assertThat(foreign).exists();
    }

    @Test
    void aWipedMemoryIsMadeAgain() throws IOException {
        Path home = folder.resolve("home");
        Path first = open(home);
        SafeFile.deleteTree(first);
        assertThat(open(home)).isEqualTo(first).isDirectory();
    }

    @Test
    void theMemoryOfAnotherHomeOfTheSameNodeIsLeftAlone() throws IOException {
        Path other = open(folder.resolve("other"));
        assertThat(open(folder.resolve("home"))).isNotEqualTo(other);
        assertThat(other).exists();
    }

    @Test
    void aFolderThatCannotBeUsedIsSaidWithItsSetting() throws IOException {
        Path file = Files.writeString(folder.resolve("shm"), "");
        assertThatThrownBy(() -> open(folder.resolve("home")))
                .hasMessageContaining(file.toString())
                .hasMessageContaining("MUSTER_MEMORY_FOLDER");
    }

    @Test
    void aLinkInItsPlaceIsNotFollowed() throws IOException {
        Path home = folder.resolve("home");
        Path first = open(home);
        SafeFile.deleteTree(first);
        Files.createSymbolicLink(first, Files.createDirectories(folder.resolve("elsewhere")));
        assertThatThrownBy(() -> open(home)).hasMessageContaining("is not a folder of the agent's user");
    }

    @Test
    void withoutASettingItIsSharedMemoryWhereThereIsOneElseTheAgentsFolder() throws IOException {
        Path home = Files.createDirectories(folder.resolve("home"));
        MemoryFolder.Chosen chosen = MemoryFolder.open(home, NODE, Optional.empty(), Optional.empty(), random);
        try {
            assertThat(chosen.folder().getParent()).isIn(Path.of("/dev/shm"), home);
            assertThat(chosen.limitBytes()).isPositive();
        } finally {
            SafeFile.deleteTree(chosen.folder());
        }
    }
}
