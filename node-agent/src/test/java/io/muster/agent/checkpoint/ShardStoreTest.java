package io.muster.agent.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.muster.contract.checkpoint.StoredShard;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ShardStoreTest {

    /** SHA-256 of "abc". */
    private static final String HASH = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    @TempDir
    Path folder;

    private ShardStore store;
    private Path slot;

    @BeforeEach
    void prepare() throws IOException {
        Files.createDirectories(folder.resolve("store"));
        store = new ShardStore(folder.resolve("store"));
        slot = Files.writeString(folder.resolve("slot"), "abc");
    }

    private FileChannel open() throws IOException {
        return FileChannel.open(slot, StandardOpenOption.READ);
    }

    private Optional<String> damage(StoredShard shard) {
        return switch (store.look(shard)) {
            case ShardStore.Look.Whole whole -> Optional.empty();
            case ShardStore.Look.Damaged damaged -> Optional.of(damaged.why());
            case ShardStore.Look.Unreachable away -> throw new AssertionError(away);
        };
    }

    /** An unmounted store is an empty folder: nothing is damaged, nobody can tell. */
    @Test
    void whatIsMissingIsDamageOnlyIfTheStoreIsThere() throws IOException {
        StoredShard stored = store.store(this::open, HASH, 3, Path.of("checkpoints/x"));
        Path root = folder.resolve("store");
        Files.move(root, folder.resolve("elsewhere"));
        assertThat(store.look(stored)).isInstanceOf(ShardStore.Look.Unreachable.class);
        Files.createDirectories(root);
        assertThat(store.look(stored)).isInstanceOf(ShardStore.Look.Unreachable.class);
        Files.createDirectories(root.resolve("checkpoints"));
        assertThat(store.look(stored)).isInstanceOf(ShardStore.Look.Damaged.class);
        Files.delete(root.resolve("checkpoints"));
        Files.writeString(root.resolve("checkpoints"), "");
        assertThat(store.look(stored)).isInstanceOf(ShardStore.Look.Unreachable.class);
    }

    @Test
    void aFolderInAShardsPlaceIsDamage() throws IOException {
        StoredShard stored = store.store(this::open, HASH, 3, Path.of("checkpoints/x"));
        Path file = folder.resolve("store").resolve(stored.path());
        Files.delete(file);
        Files.createDirectories(file);
        assertThat(store.look(stored)).isInstanceOf(ShardStore.Look.Damaged.class);
    }

    @Test
    void storesAndFindsEveryKindOfDamage() throws IOException {
        StoredShard stored = store.store(this::open, HASH, 3, Path.of("checkpoints/x"));
        assertThat(stored).isEqualTo(new StoredShard(3, "checkpoints/x/rank-3.shard", 3, HASH, List.of()));
        assertThat(damage(stored)).isEmpty();
        Path file = folder.resolve("store").resolve(stored.path());
        Files.writeString(file, "abd");
        assertThat(damage(stored).orElseThrow()).contains("has hash");
        Files.writeString(file, "ab");
        assertThat(damage(stored).orElseThrow()).contains("has 2 bytes");
        Files.delete(file);
        assertThat(damage(stored).orElseThrow()).contains("cannot be read");
    }

    @Test
    void aDamagedSlotIsNotStored() throws IOException {
        Files.writeString(slot, "abd");
        assertThatThrownBy(() -> store.store(this::open, HASH, 0, Path.of("c")))
                .isInstanceOf(ShardStore.DamagedSlot.class);
        assertThat(folder.resolve("store/c")).isEmptyDirectory();
    }

    @ParameterizedTest
    @ValueSource(strings = {"../outside", "a/../../outside", "/tmp/outside", "a/./b"})
    void pathsOutOfTheStoreAreRefused(String path) {
        assertThatThrownBy(() -> store.store(this::open, HASH, 0, Path.of(path)))
                .isInstanceOf(IOException.class);
        assertThat(damage(new StoredShard(0, path, 3, HASH, List.of()))).isPresent();
    }

    /** Also one that stays inside: it would be another job's shard. */
    @ParameterizedTest
    @ValueSource(strings = {"store/real", "outside"})
    void shardsAreNotReadThroughLinkedFolders(String where) throws IOException {
        Path real = Files.createDirectories(folder.resolve(where).resolve("deep"));
        Files.writeString(real.resolve("rank-0.shard"), "abc");
        Files.createSymbolicLink(folder.resolve("store/link"), folder.resolve(where));
        Files.createSymbolicLink(real.resolve("rank-1.shard"), real.resolve("rank-0.shard"));
        for (String path : new String[] {"link/deep/rank-0.shard", "link/deep/rank-1.shard"}) {
            StoredShard shard = new StoredShard(0, path, 3, HASH, List.of());
            assertThat(damage(shard).orElseThrow()).contains("link");
            assertThatThrownBy(() -> store.open(shard)).isInstanceOf(IOException.class);
        }
        assertThatThrownBy(() -> store.store(this::open, HASH, 0, Path.of("link/deep")))
                .isInstanceOf(IOException.class);
        assertThatThrownBy(() -> store.store(this::open, HASH, 0, Path.of("link/new")))
                .isInstanceOf(IOException.class);
        assertThat(folder.resolve(where).resolve("new")).doesNotExist();
        if (where.startsWith("store")) {
            assertThat(damage(new StoredShard(0, "real/deep/rank-0.shard", 3, HASH, List.of())))
                    .isEmpty();
            assertThat(damage(new StoredShard(0, "real/deep/rank-1.shard", 3, HASH, List.of())))
                    .isPresent();
        }
    }

    @Test
    void linksOutOfTheStoreAreRefused() throws IOException {
        Path outside = Files.createDirectories(folder.resolve("outside"));
        Files.createSymbolicLink(folder.resolve("store/link"), outside);
        assertThatThrownBy(() -> store.store(this::open, HASH, 0, Path.of("link/x")))
                .isInstanceOf(IOException.class);
        assertThat(outside.resolve("x/rank-0.shard")).doesNotExist();
    }
}
