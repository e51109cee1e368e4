package io.muster.local.running;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A local system, started with the very command that a person types, and stopped when the JVM ends or another one is
 * started: two at once would only slow each other. Tests see it as a person does: through the gateway, the command line
 * and the machine's process table.
 */
final class RunningSystem {

    static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();

    private static final int SHARED = 2000;
    private static final int LINES_OF_AN_ERROR = 40;
    private static @Nullable RunningSystem running;

    private final Path home;
    private final int portOffset;
    private final HttpClient http =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();
    private final JsonMapper mapper = JsonMapper.builder().build();

    private RunningSystem(Path home, int portOffset) {
        this.home = home;
        this.portOffset = portOffset;
    }

    /** The one that tests share which leave it as they found it; its services are in one process. */
    static synchronized RunningSystem get() {
        RunningSystem now = running;
        return now != null && now.portOffset == SHARED ? now : start(SHARED);
    }

    /** One for a test that breaks it. */
    static synchronized RunningSystem start(int portOffset, String... options) {
        stopRunning();
        try {
            Path home = Files.createTempDirectory("muster-it-");
            RunningSystem system = new RunningSystem(home, portOffset);
            Runtime.getRuntime().addShutdownHook(new Thread(system::stop));
            List<String> command =
                    new ArrayList<>(List.of("up", "--detach", "--port-offset", Integer.toString(portOffset)));
            command.addAll(List.of(options));
            Finished up = system.muster(command.toArray(String[]::new));
            System.out.println(up.output());
            assertThat(up.code()).as(() -> up.output() + system.log()).isZero();
            running = system;
            return system;
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** For a test that starts a system in its own way. */
    static synchronized void stopRunning() {
        if (running != null) {
            running.stop();
            running = null;
        }
    }

    private void stop() {
        if (Files.exists(home)) {
            muster("down");
            deleteMemory(home);
            deleteTree(home);
        }
    }

    record Finished(int code, String output) {}

    Finished muster(String... arguments) {
        List<String> command = new ArrayList<>(List.of(ROOT.resolve("muster").toString(), "--home", home.toString()));
        command.addAll(List.of(arguments));
        return run(command, Map.of());
    }

    static Finished run(List<String> command, Map<String, String> environment) {
        try {
            Path output = Files.createTempFile("muster-it-", ".out");
            ProcessBuilder builder =
                    new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
            builder.environment().putAll(environment);
            Process process = builder.start();
            if (!process.waitFor(900, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
            String text = Files.readString(output);
            Files.delete(output);
            return new Finished(process.exitValue(), text);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    String log() {
        try {
            return Files.readString(home.resolve("log/system.log"));
        } catch (IOException e) {
            return "no system.log: " + e.getMessage();
        }
    }

    /** What the services say of their own faults, each with the lines after it. */
    private String errors() {
        StringBuilder found = new StringBuilder();
        try (var logs = Files.walk(home.resolve("log"))) {
            for (Path log : logs.filter(Files::isRegularFile).toList()) {
                List<String> lines = Files.readAllLines(log);
                for (int i = 0; i < lines.size(); i++) {
                    if (lines.get(i).contains(" ERROR ")) {
                        found.append('\n').append(log.getFileName()).append(": ");
                        found.append(
                                String.join("\n  ", lines.subList(i, Math.min(lines.size(), i + LINES_OF_AN_ERROR))));
                    }
                }
            }
        } catch (IOException e) {
            found.append("\nno logs: ").append(e.getMessage());
        }
        return found.toString();
    }

    int portOffset() {
        return portOffset;
    }

    /** The process of a part as system.json names it, such as {@code agent r1-n1}. */
    long pid(String part) {
        try {
            return mapper.readTree(Files.readString(home.resolve("system.json")))
                    .get("parts")
                    .get(part)
                    .get("pid")
                    .longValue();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    Path home() {
        return home;
    }

    String key(String name) {
        try {
            return Files.readString(home.resolve("secrets").resolve(name + ".key"))
                    .strip();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    String gateway() {
        return "http://127.0.0.1:" + (8080 + portOffset);
    }

    String broker() {
        return "127.0.0.1:" + (19_092 + portOffset);
    }

    /** An answer: its status, and its body as JSON if it is JSON. */
    record Answer(int status, JsonNode body, String text) {}

    Answer call(String key, String method, String path, Object body) {
        return send(gateway() + path, method, Map.of("Authorization", "Bearer " + key), body);
    }

    Answer send(String url, String method, Map<String, String> headers, Object body) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url))
                .timeout(Duration.ofSeconds(30))
                .header("Content-Type", "application/json")
                .method(
                        method,
                        body == null
                                ? HttpRequest.BodyPublishers.noBody()
                                : HttpRequest.BodyPublishers.ofString(mapper.writeValueAsString(body)));
        headers.forEach(request::header);
        try {
            HttpResponse<String> answer = http.send(request.build(), HttpResponse.BodyHandlers.ofString());
            String type = answer.headers().firstValue("Content-Type").orElse("");
            JsonNode json = type.contains("json") && !answer.body().isEmpty()
                    ? mapper.readTree(answer.body())
                    : mapper.nullNode();
            return new Answer(answer.statusCode(), json, answer.body());
        } catch (IOException e) {
            throw new IllegalStateException(method + " " + url, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    JsonNode get(String path) {
        Answer answer = call(key("admin"), "GET", "/api/v1" + path, null);
        assertThat(answer.status())
                .as(() -> answer.status() >= 500 ? answer.text() + errors() : answer.text())
                .isEqualTo(200);
        return answer.body();
    }

    String submit(Map<String, Object> spec) {
        Answer answer = call(key("engineer"), "POST", "/api/v1/jobs", spec);
        assertThat(answer.status()).as(answer.text()).isEqualTo(201);
        return answer.body().get("id").stringValue();
    }

    JsonNode await(String job, Duration limit, Predicate<JsonNode> condition) {
        long deadline = System.nanoTime() + limit.toNanos();
        while (true) {
            JsonNode now = get("/jobs/" + job);
            if (condition.test(now)) {
                return now;
            }
            assertThat(System.nanoTime())
                    .as(() -> "after " + limit + " still " + now)
                    .isLessThan(deadline);
            pause();
        }
    }

    JsonNode awaitEnd(String job) {
        return await(job, Duration.ofSeconds(300), now -> ended(state(now)));
    }

    static String state(JsonNode job) {
        return job.get("state").stringValue();
    }

    static boolean ended(String state) {
        return List.of("SUCCEEDED", "FAILED", "CANCELLED").contains(state);
    }

    static void pause() {
        try {
            Thread.sleep(100);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    Connection database(String service) throws SQLException {
        return database("muster_" + service, "muster_" + service, databasePassword(service));
    }

    Connection database(String database, String role, String password) throws SQLException {
        return DriverManager.getConnection(
                "jdbc:postgresql://127.0.0.1:" + (15_432 + portOffset) + "/" + database, role, password);
    }

    String databasePassword(String service) {
        try {
            return Files.readString(home.resolve("secrets/database-" + service + ".password"))
                    .strip();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Pids of processes whose environment names this job. */
    static List<Long> processesOf(String job) {
        return processesWith("MUSTER_JOB_ID=" + job);
    }

    /** Pids of processes with all of these in their environment. */
    static List<Long> processesWith(String... variables) {
        List<Long> found = new ArrayList<>();
        ProcessHandle.allProcesses().forEach(process -> {
            try {
                String environment = Files.readString(
                        Path.of("/proc/" + process.pid() + "/environ"), java.nio.charset.StandardCharsets.ISO_8859_1);
                if (List.of(variables).stream().allMatch(environment::contains)) {
                    found.add(process.pid());
                }
            } catch (IOException e) {
                // it has ended meanwhile, or is another user's
                assertThat(e).isNotNull();
            }
        });
        return found;
    }

    /** Shards that agents keep outside of the home, in the machine's memory. */
    static void deleteMemory(Path home) {
        try (var nodes = Files.newDirectoryStream(home.resolve("nodes"))) {
            for (Path node : nodes) {
                Path pointer = node.resolve("memory.path");
                if (Files.exists(pointer)) {
                    deleteTree(Path.of(Files.readString(pointer).strip()));
                }
            }
        } catch (IOException e) {
            System.err.println("memory of nodes left behind: " + e.getMessage());
        }
    }

    static void deleteTree(Path top) {
        if (!Files.exists(top)) {
            return;
        }
        try (var files = Files.walk(top)) {
            files.sorted(java.util.Comparator.reverseOrder())
                    .forEach(file -> file.toFile().delete());
        } catch (IOException e) {
            System.err.println("left behind: " + top + " " + e.getMessage());
        }
    }
}
