package io.muster.agent.attempt;

import io.muster.agent.disk.SafeFile;
import io.muster.agent.settings.AgentSettings;
import io.muster.agent.socket.SocketPath;
import io.muster.contract.agent.GangMember;
import io.muster.contract.agent.GangTask;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.json.JsonMapper;

/** The folder that belongs to the ranks of one attempt: their home, their output, their exit codes, the socket. */
final class AttemptFolder {

    private final Path path;
    private final Path socket;
    private final Optional<Integer> uid;

    AttemptFolder(AgentSettings settings, AttemptKey key) {
        this.path = settings.jobsFolder().resolve(key.job().value()).resolve(Integer.toString(key.attempt()));
        this.socket = SocketPath.of(path, Path.of(System.getProperty("java.io.tmpdir")));
        this.uid = settings.rankUid();
    }

    Path path() {
        return path;
    }

    Path nodesFile() {
        return path.resolve("nodes.json");
    }

    Path socket() {
        return socket;
    }

    Path log(int rank) {
        return path.resolve("rank-" + rank + ".log");
    }

    Path exitFile(int rank) {
        return path.resolve("rank-" + rank + ".exit");
    }

    /** Makes the folder with all that ranks find in it. */
    void prepare(GangTask task, JsonMapper json) throws IOException {
        Files.createDirectories(path.resolve("tmp"));
        List<Map<String, Object>> nodes =
                task.members().stream().map(AttemptFolder::entry).toList();
        Files.write(nodesFile(), json.writeValueAsBytes(nodes));
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwx------"));
        if (uid.isPresent()) {
            for (Path owned : List.of(path.resolve("tmp"), nodesFile(), path)) {
                Files.setAttribute(owned, "unix:uid", uid.get());
            }
        }
        prepareSocket();
    }

    void prepareSocket() throws IOException {
        SocketPath.prepare(socket, path, uid);
    }

    private static Map<String, Object> entry(GangMember member) {
        Map<String, Object> entry = new LinkedHashMap<>();
        entry.put("nodeRank", member.nodeRank());
        entry.put("node", member.node().value());
        entry.put("address", member.address());
        return entry;
    }

    /** The exit code that the wrapper left; empty if it was killed before it could. */
    Optional<Integer> exitCode(int rank) {
        try {
            return SafeFile.read(exitFile(rank), 32)
                    .map(content -> new String(content, StandardCharsets.US_ASCII).strip())
                    .filter(text -> text.matches("[0-9]{1,3}"))
                    .map(Integer::valueOf);
        } catch (IOException unreadable) {
            return Optional.empty();
        }
    }

    void remove() throws IOException {
        SocketPath.remove(socket, path);
        SafeFile.deleteTree(path);
        SafeFile.deleteIfEmpty(path.resolveSibling("..").normalize());
    }
}
