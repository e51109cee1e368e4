package io.muster.job.spec;

import io.muster.contract.agent.EnvProfile;
import io.muster.contract.id.CheckpointId;
import io.muster.contract.id.NodeId;
import io.muster.contract.id.ProjectId;
import io.muster.contract.id.QueuePath;
import io.muster.contract.job.DomainType;
import io.muster.contract.job.PlacementMode;
import io.muster.contract.job.Spread;
import io.muster.contract.problem.Violation;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Judges a job spec from its JSON tree, so that everything wrong is said at once, wrong types included. What is not
 * accepted is refused by name: a field is never ignored. The rules and defaults are those of docs/job-spec.md.
 */
public final class SpecReader {

    static final int MAX_NODES = 100_000;
    static final int MAX_RESTARTS = 1000;
    static final int DEFAULT_PLATFORM_RESTARTS = 20;
    private static final String NODE = "a node id such as 'r1-n2'";
    private static final Pattern ENV_NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,127}");
    private static final Pattern LABEL_NAME = Pattern.compile("[A-Za-z0-9]([A-Za-z0-9._/-]{0,61}[A-Za-z0-9])?");
    private static final Pattern VERSION = Pattern.compile("\\d{1,6}(\\.\\d{1,6}){0,4}");
    private static final Pattern STORE_PATH =
            Pattern.compile("[A-Za-z0-9_][A-Za-z0-9._-]{0,99}(/[A-Za-z0-9_][A-Za-z0-9._-]{0,99}){0,15}");

    /** A spec, or all that is wrong with it. */
    public sealed interface Outcome {}

    public record Accepted(JobSpec spec) implements Outcome {}

    public record Refused(List<Violation> violations) implements Outcome {
        public Refused {
            violations = List.copyOf(violations);
        }
    }

    private final Findings findings = new Findings();

    private SpecReader() {}

    public static Outcome read(JsonNode tree) {
        SpecReader reader = new SpecReader();
        JobSpec spec = reader.spec(ObjectReader.of(tree, "", reader.findings));
        return reader.findings.none() && spec != null ? new Accepted(spec) : new Refused(reader.findings.all());
    }

    private @Nullable JobSpec spec(ObjectReader root) {
        String name = name(root);
        ProjectId project = root.built("project", ProjectId::new, "a project id such as 'llm'")
                .orElse(null);
        QueuePath queue = root.built("queue", QueuePath::new, "a queue path such as 'nlp/pretrain'")
                .orElse(null);
        WorkloadKind kind = root.parsed("kind", WorkloadKind::of, String.join(", ", WorkloadKind.texts()))
                .orElse(WorkloadKind.PRETRAINING);
        Priority priority = priority(root);
        JobSpec.Runtime runtime = runtime(root.object("runtime"));
        JobSpec.Resources resources = resources(root.object("resources"));
        JobSpec.Topology topology = topology(root.object("topology"));
        JobSpec.Checkpoint checkpoint = checkpoint(root.object("checkpoint"), root.has("checkpoint"));
        JobSpec.FaultTolerance tolerance = faultTolerance(root.object("faultTolerance"));
        Duration maxRuntime = maxRuntime(root.object("limits"));
        Map<String, String> labels = labels(root);
        if (!findings.none() || name == null) {
            return null;
        }
        return new JobSpec(
                name,
                project,
                queue,
                kind,
                priority,
                runtime,
                resources,
                topology,
                checkpoint,
                tolerance,
                maxRuntime,
                labels);
    }

    private @Nullable String name(ObjectReader root) {
        if (!root.has("name")) {
            root.refuse(
                    "name",
                    "name is missing; it is shown everywhere and unique among the project's live jobs",
                    "a text of 1 to 128 characters");
            return null;
        }
        Optional<String> name = root.text("name", 1, 128);
        if (name.isPresent() && (name.get().isBlank() || name.get().chars().anyMatch(Character::isISOControl))) {
            root.refuse("name", "name is blank or holds a control character", "a text of 1 to 128 visible characters");
        }
        return name.orElse(null);
    }

    private Priority priority(ObjectReader root) {
        String allowed = "low, normal, high, critical, or 1 (lowest) to 9 (highest)";
        JsonNode value = root.value("priority");
        if (value != null && value.isNumber()) {
            return new Priority(root.integer("priority", 1, 9, Priority.NORMAL.level()));
        }
        return root.parsed("priority", Priority::named, allowed).orElse(Priority.NORMAL);
    }

    private JobSpec.Runtime runtime(ObjectReader runtime) {
        List<String> command = runtime.texts("command", 256, 1, 4096);
        if (!runtime.has("command") || command.isEmpty() && arrayOfNone(runtime, "command")) {
            runtime.refuse(
                    "command",
                    "runtime.command is missing or empty; it names the program to start",
                    "a list of 1 to 256 texts, such as [\"python3\", \"train.py\"]");
        }
        List<String> args = runtime.texts("args", 256, 0, 4096);
        String workingDir = runtime.text("workingDir", 1, 1024).orElse(null);
        if (workingDir != null && !absolute(workingDir)) {
            runtime.refuse(
                    "workingDir",
                    "runtime.workingDir is '" + Findings.shortened(workingDir, 80)
                            + "'; it must start with '/' and hold no '..'",
                    "an absolute path without '..'");
        }
        return new JobSpec.Runtime(
                command,
                args,
                workingDir,
                environment(runtime),
                runtime.flag("client", false),
                runtime.text("image", 1, 512).orElse(null),
                envProfile(runtime));
    }

    private Map<String, String> environment(ObjectReader runtime) {
        Map<String, String> env = runtime.textMap(
                "env",
                256,
                ENV_NAME,
                "letters, digits and '_', not starting with a digit, at most 128 characters",
                32_768);
        for (String name : env.keySet()) {
            if (ReservedEnvironment.holds(name)) {
                findings.add(
                        Findings.step(runtime.at("env"), name),
                        "runtime.env." + name + " is set by Muster itself and cannot be set here",
                        null,
                        ReservedEnvironment.ALLOWED);
            }
        }
        return env;
    }

    private EnvProfile envProfile(ObjectReader runtime) {
        JsonNode value = runtime.value("envProfile");
        if (value != null && value.isString() && List.of("pai", "kubeflow-v1").contains(value.stringValue())) {
            runtime.notYet("envProfile", "direct, torchrun");
            return EnvProfile.DIRECT;
        }
        return choice(runtime, "envProfile", List.of(EnvProfile.values())).orElse(EnvProfile.DIRECT);
    }

    private JobSpec.Resources resources(ObjectReader resources) {
        JsonNode nodes = resources.value("nodes");
        boolean elastic = nodes != null && nodes.isObject();
        if (elastic) {
            resources.notYet("nodes", "a whole number from 1 to " + MAX_NODES);
        }
        Optional<String> version = resources.parsed(
                "minDriverVersion",
                text -> VERSION.matcher(text).matches() ? Optional.of(text) : Optional.empty(),
                "a version such as 535.104.05");
        return new JobSpec.Resources(
                elastic ? 1 : resources.integer("nodes", 1, MAX_NODES, 1),
                resources.integer("gpusPerNode", 1, 64, 8),
                resources.integer("processesPerNode", 1, 64, 1),
                resources.texts("gpuTypes", 16, 1, 64),
                version.orElse(null));
    }

    private JobSpec.Topology topology(ObjectReader topology) {
        DomainType within =
                choice(topology, "within", List.of(DomainType.values())).orElse(DomainType.CLUSTER);
        PlacementMode mode =
                choice(topology, "mode", List.of(PlacementMode.values())).orElse(PlacementMode.PREFERRED);
        return new JobSpec.Topology(
                within,
                within == DomainType.CLUSTER ? PlacementMode.PREFERRED : mode,
                topology.has("spread") ? spread(topology.object("spread")) : null,
                topology.builtList("avoidNodes", 1000, NodeId::new, NODE));
    }

    private @Nullable Spread spread(ObjectReader spread) {
        List<DomainType> domains = List.of(DomainType.RACK, DomainType.POWER, DomainType.POD);
        Optional<DomainType> domain = choice(spread, "domain", domains);
        for (String field : List.of("domain", "maxNodes")) {
            if (!spread.has(field)) {
                spread.refuse(
                        field,
                        "topology.spread." + field + " is missing; a spread needs both domain and maxNodes",
                        "{\"domain\": \"rack\", \"maxNodes\": 2}");
            }
        }
        int maxNodes = spread.integer("maxNodes", 1, MAX_NODES, 1);
        return domain.map(type -> new Spread(type, maxNodes)).orElse(null);
    }

    private JobSpec.@Nullable Checkpoint checkpoint(ObjectReader checkpoint, boolean present) {
        String uri = checkpoint
                .parsed(
                        "uri",
                        SpecReader::storeUri,
                        "store://folder/sub: names of letters, digits, '.', '_' and '-', none starting with '.'")
                .orElse(null);
        if (isText(checkpoint, "interval", "auto")) {
            checkpoint.notYet("interval", "a duration such as 30s or PT30S, or steps such as '20 steps'");
            return null;
        }
        SaveInterval interval = checkpoint
                .parsed(
                        "interval",
                        SaveInterval::parse,
                        "a duration of 1 s to 7 days such as 30s or PT30S, or 1 to 1000000000 steps such as '20 steps'")
                .orElse(SaveInterval.DEFAULT);
        String resumeFrom = checkpoint
                .parsed(
                        "resumeFrom",
                        SpecReader::resumeFrom,
                        "latest, none, or a checkpoint id such as 'chk_01k9x3v7q2m4n8p6r0s1t5w9ya'")
                .orElse("latest");
        if (present && !checkpoint.has("uri")) {
            checkpoint.refuse(
                    "uri", "checkpoint.uri is missing; without it nothing can be saved", "store://folder/sub");
        }
        return uri == null ? null : new JobSpec.Checkpoint(uri, interval, resumeFrom);
    }

    private JobSpec.FaultTolerance faultTolerance(ObjectReader tolerance) {
        JsonNode hang = tolerance.value("hangTimeout");
        if (hang != null && !(hang.isIntegralNumber() && hang.bigIntegerValue().signum() == 0)) {
            tolerance.notYet("hangTimeout", "0");
        }
        return new JobSpec.FaultTolerance(
                tolerance.integer("platformRestarts", 0, MAX_RESTARTS, DEFAULT_PLATFORM_RESTARTS),
                tolerance.integer("userRestarts", 0, MAX_RESTARTS, 0));
    }

    private @Nullable Duration maxRuntime(ObjectReader limits) {
        return limits.parsed(
                        "maxRuntime",
                        text -> WrittenDuration.parse(text)
                                .filter(time -> time.toSeconds() >= 1 && time.toDays() <= 365),
                        "a duration of 1 s to 365 days such as 30m, 14d or PT30M")
                .orElse(null);
    }

    private Map<String, String> labels(ObjectReader root) {
        return root.textMap(
                "labels",
                32,
                LABEL_NAME,
                "1 to 63 letters, digits, '.', '_', '/' and '-', starting and ending with a letter or digit",
                256);
    }

    private static <E extends Enum<E>> Optional<E> choice(ObjectReader from, String field, List<E> values) {
        List<String> texts = values.stream().map(SpecReader::lower).toList();
        return from.parsed(
                field,
                text -> values.stream()
                        .filter(value -> lower(value).equals(text))
                        .findFirst(),
                String.join(", ", texts));
    }

    static String lower(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    private static Optional<String> storeUri(String text) {
        boolean store = text.startsWith(JobSpec.Checkpoint.SCHEME);
        return store
                        && STORE_PATH
                                .matcher(text.substring(JobSpec.Checkpoint.SCHEME.length()))
                                .matches()
                ? Optional.of(text)
                : Optional.empty();
    }

    private static Optional<String> resumeFrom(String text) {
        if (text.equals("latest") || text.equals("none")) {
            return Optional.of(text);
        }
        try {
            return Optional.of(new CheckpointId(text).value());
        } catch (IllegalArgumentException notOne) {
            return Optional.empty();
        }
    }

    private static boolean absolute(String path) {
        return path.startsWith("/") && !List.of(path.split("/", -1)).contains("..");
    }

    private static boolean isText(ObjectReader from, String field, String text) {
        JsonNode value = from.value(field);
        return value != null && value.isString() && value.stringValue().equals(text);
    }

    private static boolean arrayOfNone(ObjectReader from, String field) {
        JsonNode value = from.value(field);
        return value != null && value.isArray() && value.isEmpty();
    }
}
