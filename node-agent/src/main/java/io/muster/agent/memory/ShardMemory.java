package io.muster.agent.memory;

import io.muster.agent.disk.RegularFile;
import io.muster.agent.disk.SafeFile;
import io.muster.agent.disk.Sha256;
import io.muster.agent.memory.HeldShard.Origin;
import io.muster.contract.id.CheckpointId;
import io.muster.contract.id.JobId;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.ReadableByteChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * All shards that this node's agent holds, in one memory-backed folder; they outlive trainers and the agent. A shard is
 * there only with its label, which is written last and removed first: whoever dies while one is filled leaves the others
 * as they were. The whole has a limit; what does not fit even after {@link Retention} has given up what it may is
 * refused with the numbers.
 */
public final class ShardMemory {

    private static final Logger LOG = LoggerFactory.getLogger(ShardMemory.class);
    private static final int LONGEST_LABEL = 4096;
    private static final String LABEL = ".json";

    private final Path root;
    private final long limitBytes;
    private final JsonMapper json;
    private final Map<String, HeldShard> held = new TreeMap<>();
    private final Map<String, Long> filling = new TreeMap<>();
    private final Map<JobId, Pinned> pinned = new TreeMap<>();
    private Supplier<Set<JobId>> living = this::jobs;

    private ShardMemory(Path root, long limitBytes, JsonMapper json) {
        this.root = root;
        this.limitBytes = limitBytes;
        this.json = json;
    }

    /** A place for a shard, or why there is none. */
    public sealed interface Admission {

        record Granted(Place place) implements Admission {}

        record Full(String why) implements Admission {}

        /** The same shard is being taken in by somebody else. */
        record Taken() implements Admission {}
    }

    /** Opens the memory with what an earlier life of this agent held; what has no whole label is removed. */
    public static ShardMemory open(Path root, long limitBytes, JsonMapper json) throws IOException {
        Files.createDirectories(root);
        ShardMemory memory = new ShardMemory(root, limitBytes, json);
        try (DirectoryStream<Path> jobs = Files.newDirectoryStream(root, Files::isDirectory)) {
            for (Path job : jobs) {
                memory.reload(job);
            }
        }
        return memory;
    }

    private synchronized void reload(Path job) throws IOException {
        Set<Path> known = new HashSet<>();
        try (DirectoryStream<Path> labels = Files.newDirectoryStream(job, "*" + LABEL)) {
            for (Path label : labels) {
                Optional<HeldShard> shard = read(label);
                if (shard.isPresent() && label.equals(label(shard.get()))) {
                    held.put(key(shard.get()), shard.get());
                    known.add(label);
                    known.add(file(shard.get()));
                }
            }
        }
        try (DirectoryStream<Path> files = Files.newDirectoryStream(job)) {
            for (Path file : files) {
                if (!known.contains(file)) {
                    Files.deleteIfExists(file);
                }
            }
        }
    }

    private Optional<HeldShard> read(Path label) {
        try {
            return SafeFile.read(label, LONGEST_LABEL).map(content -> json.readValue(content, HeldShard.class));
        } catch (IOException | JacksonException unreadable) {
            LOG.warn("label {} is unreadable; its shard is removed", label);
            return Optional.empty();
        }
    }

    /** Where one shard is being filled in. */
    public final class Place {

        private final HeldShard plan;
        private boolean over;

        private Place(HeldShard plan) {
            this.plan = plan;
        }

        /** Takes in exactly the announced bytes and seals them; after any failure nothing of it is left. */
        public HeldShard fill(ReadableByteChannel bytes) throws IOException {
            HeldShard sealed = null;
            try {
                Sha256.Copied copied;
                try (FileChannel to =
                        FileChannel.open(file(plan), StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS)) {
                    copied = Sha256.copy(bytes, to);
                }
                if (copied.bytes() != plan.sizeBytes()) {
                    throw new IOException(copied.bytes() + " bytes came, " + plan.sizeBytes() + " were announced");
                }
                sealed = seal(copied.sha256());
                return sealed;
            } finally {
                if (sealed == null) {
                    cancel();
                }
            }
        }

        private HeldShard seal(String sha256) throws IOException {
            synchronized (ShardMemory.this) {
                HeldShard shard = new HeldShard(
                        plan.job(),
                        plan.attempt(),
                        plan.rank(),
                        plan.step(),
                        plan.origin(),
                        plan.sizeBytes(),
                        sha256,
                        commitOf(plan));
                write(shard);
                over = true;
                filling.remove(key(plan));
                held.put(key(shard), shard);
                return shard;
            }
        }

        /** Nothing will be filled in any more; of no effect on what is sealed. */
        public void cancel() {
            synchronized (ShardMemory.this) {
                if (!over) {
                    over = true;
                    filling.remove(key(plan));
                    removeFiles(plan);
                }
            }
        }
    }

    /** Room for a shard, made by giving up others if it must be; the hash that is asked for does not matter yet. */
    public synchronized Admission admit(HeldShard wanted) {
        String key = key(wanted);
        if (filling.containsKey(key)) {
            return new Admission.Taken();
        }
        HeldShard older = held.get(key);
        if (older != null) {
            drop(older);
        }
        if (!makeRoom(wanted.sizeBytes())) {
            return new Admission.Full("the memory for shards of this node holds " + used() + " of " + limitBytes
                    + " bytes that cannot be given up, the shard has " + wanted.sizeBytes()
                    + "; set MUSTER_MEMORY_BYTES higher or use smaller shards");
        }
        try {
            Files.createDirectories(root.resolve(wanted.job().value()));
            Files.deleteIfExists(file(wanted));
            Files.createFile(file(wanted));
        } catch (IOException broken) {
            return new Admission.Full("the memory for shards of this node takes nothing: " + broken);
        }
        filling.put(key, wanted.sizeBytes());
        return new Admission.Granted(new Place(wanted));
    }

    private boolean makeRoom(long bytes) {
        if (used() + bytes <= limitBytes) {
            return true;
        }
        for (HeldShard shard : Retention.dispensable(held.values(), living.get(), this::isFirstPinned)) {
            LOG.info("given up for room: {}", key(shard));
            drop(shard);
            if (used() + bytes <= limitBytes) {
                return true;
            }
        }
        return false;
    }

    private long used() {
        long sealed = held.values().stream().mapToLong(HeldShard::sizeBytes).sum();
        return sealed + filling.values().stream().mapToLong(Long::longValue).sum();
    }

    private @Nullable CheckpointId commitOf(HeldShard plan) {
        if (plan.checkpoint() != null) {
            return plan.checkpoint();
        }
        return held.values().stream()
                .filter(shard -> shard.isOf(plan.job(), plan.attempt(), plan.step()))
                .map(HeldShard::checkpoint)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    private void write(HeldShard shard) throws IOException {
        SafeFile.write(label(shard), json.writeValueAsBytes(shard));
    }

    /** A shard of these bytes, whatever attempt it came with. */
    public synchronized Optional<HeldShard> find(JobId job, int rank, long sizeBytes, String sha256) {
        return held.values().stream()
                .filter(shard -> shard.job().equals(job) && shard.rank() == rank)
                .filter(shard ->
                        shard.sizeBytes() == sizeBytes && shard.sha256().equals(sha256))
                .findFirst();
    }

    public synchronized boolean holds(HeldShard shard) {
        HeldShard now = held.get(key(shard));
        return now != null && now.sameBytes(shard);
    }

    /** What ranks of this attempt on this node handed over. */
    public synchronized List<HeldShard> own(JobId job, int attempt) {
        return held.values().stream()
                .filter(shard -> shard.job().equals(job) && shard.attempt() == attempt && shard.origin() == Origin.OWN)
                .toList();
    }

    /** For reading; what is given up meanwhile can be read to its end. */
    public FileChannel open(HeldShard shard) throws IOException {
        return RegularFile.open(file(shard));
    }

    /** What is wrong with a held shard; empty if its bytes are those that came. */
    public Optional<String> damage(HeldShard shard) {
        try (FileChannel channel = open(shard)) {
            if (channel.size() != shard.sizeBytes()) {
                return Optional.of("memory holds " + channel.size() + " bytes, " + shard.sizeBytes() + " came");
            }
            String found = Sha256.of(channel).sha256();
            return found.equals(shard.sha256())
                    ? Optional.empty()
                    : Optional.of("memory has hash " + found + ", " + shard.sha256() + " came");
        } catch (IOException unreadable) {
            return Optional.of("memory cannot be read: " + unreadable);
        }
    }

    /** All of this step, own and peers', belongs to this checkpoint now; what it overtakes goes. */
    public synchronized void committed(JobId job, int attempt, long step, CheckpointId checkpoint) {
        mark(shard -> shard.isOf(job, attempt, step), checkpoint);
        dropOvertaken(job);
    }

    /** These bytes belong to this checkpoint, whatever was known of them. */
    public synchronized void committed(JobId job, Set<String> hashes, CheckpointId checkpoint) {
        mark(shard -> shard.job().equals(job) && hashes.contains(shard.sha256()), checkpoint);
    }

    private void mark(Predicate<HeldShard> which, CheckpointId checkpoint) {
        for (HeldShard shard : List.copyOf(held.values())) {
            if (which.test(shard) && !checkpoint.equals(shard.checkpoint())) {
                HeldShard marked = shard.committed(checkpoint);
                held.put(key(marked), marked);
                try {
                    write(marked);
                } catch (IOException broken) {
                    LOG.warn("label of {} cannot be written: {}", key(marked), broken.toString());
                }
            }
        }
    }

    private void dropOvertaken(JobId job) {
        List<HeldShard> ofJob =
                held.values().stream().filter(shard -> shard.job().equals(job)).toList();
        Retention.overtaken(ofJob, this::isPinned).forEach(this::drop);
    }

    /**
     * Commits do not overtake what ranks here handed over at these steps, and room is not made with the first of them.
     * Later attempts win; what an earlier one pinned is free then.
     */
    public synchronized void pin(JobId job, int attempt, List<Long> steps) {
        Pinned before = pinned.get(job);
        if (before != null && before.attempt() > attempt) {
            return;
        }
        if (steps.isEmpty()) {
            pinned.remove(job);
        } else {
            pinned.put(job, new Pinned(attempt, steps));
        }
        if (before != null && !steps.equals(before.steps())) {
            dropOvertaken(job);
        }
    }

    private boolean isPinned(HeldShard shard) {
        Pinned now = pinned.get(shard.job());
        return now != null && now.has(shard);
    }

    private boolean isFirstPinned(HeldShard shard) {
        Pinned now = pinned.get(shard.job());
        return now != null && now.hasFirst(shard);
    }

    /** Uncommitted shards of attempts below this one can never be committed any more. */
    public synchronized void fence(JobId job, int attempt) {
        dropWhere(shard -> shard.job().equals(job) && shard.attempt() < attempt && shard.checkpoint() == null);
    }

    /** Keeps of the uncommitted copies for this rank only those steps of this attempt. */
    public synchronized void keepOnly(JobId job, int attempt, int rank, Set<Long> steps) {
        dropWhere(shard -> shard.origin() == Origin.PEER
                && shard.job().equals(job)
                && shard.rank() == rank
                && shard.checkpoint() == null
                && (shard.attempt() < attempt || (shard.attempt() == attempt && !steps.contains(shard.step()))));
    }

    public synchronized void drop(HeldShard shard) {
        HeldShard now = held.get(key(shard));
        if (now != null && now.sameBytes(shard)) {
            held.remove(key(shard));
            removeFiles(shard);
        }
    }

    private void dropWhere(Predicate<HeldShard> which) {
        List.copyOf(held.values()).stream().filter(which).forEach(this::drop);
    }

    /** Who says which jobs have attempts here; what others have left is the first to go. Until then all may have. */
    public synchronized void living(Supplier<Set<JobId>> jobs) {
        living = jobs;
    }

    public synchronized Set<JobId> jobs() {
        Set<JobId> jobs = new TreeSet<>();
        held.values().forEach(shard -> jobs.add(shard.job()));
        return jobs;
    }

    /** Nothing of this job is needed here any more. */
    public synchronized void forget(JobId job) {
        dropWhere(shard -> shard.job().equals(job));
    }

    private void removeFiles(HeldShard shard) {
        try {
            Files.deleteIfExists(label(shard));
            Files.deleteIfExists(file(shard));
            SafeFile.deleteIfEmpty(root.resolve(shard.job().value()));
        } catch (IOException stuck) {
            LOG.warn("{} cannot be removed from memory: {}", key(shard), stuck.getMessage());
        }
    }

    private Path file(HeldShard shard) {
        return root.resolve(key(shard));
    }

    private Path label(HeldShard shard) {
        return root.resolve(key(shard) + LABEL);
    }

    private static String key(HeldShard shard) {
        return shard.job() + "/rank-" + shard.rank() + "-attempt-" + shard.attempt() + "-step-" + shard.step();
    }
}
