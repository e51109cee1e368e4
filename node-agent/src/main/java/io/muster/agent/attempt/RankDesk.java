package io.muster.agent.attempt;

import io.muster.agent.checkpoint.CheckpointPath;
import io.muster.agent.checkpoint.CheckpointPath.SaveOutcome;
import io.muster.agent.disk.Sha256;
import io.muster.agent.restore.NearestCopy;
import io.muster.agent.restore.Search;
import io.muster.agent.socket.Payload;
import io.muster.agent.socket.RankSocket;
import io.muster.agent.socket.Reply;
import io.muster.contract.agent.CheckpointPlan;
import io.muster.contract.agent.GangTask;
import io.muster.contract.agent.Progress;
import io.muster.contract.checkpoint.RestoreDecision;
import io.muster.contract.checkpoint.RestoreVerdict;
import io.muster.contract.checkpoint.StoredShard;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Answers the ranks of one attempt (docs/client-protocol.md). Every request gets an answer; a request that is wrong gets
 * a code and the reason. A rank that is not on this node is refused whatever it asks.
 */
final class RankDesk implements RankSocket.Desk {

    private static final int LONGEST_RESULT = 16 * 1024;

    /** What an attempt wants to know of its ranks. */
    interface Listener {
        void ready(int rank);

        void progress(Progress progress);

        void result(Map<String, Object> result);
    }

    private final int attempt;
    private final GangTask task;
    private final @Nullable CheckpointPath checkpoints;
    private final NearestCopy copies;
    private final Listener listener;
    private final JsonMapper json;
    private final InstantSource clock;

    RankDesk(
            int attempt,
            GangTask task,
            @Nullable CheckpointPath checkpoints,
            NearestCopy copies,
            Listener listener,
            JsonMapper json,
            InstantSource clock) {
        this.attempt = attempt;
        this.task = task;
        this.checkpoints = checkpoints;
        this.copies = copies;
        this.listener = listener;
        this.json = json;
        this.clock = clock;
    }

    /** A request that cannot be answered as asked. */
    private static final class Wrong extends Exception {

        private static final long serialVersionUID = 1L;
        private final String code;

        Wrong(String code, String message) {
            super(message);
            this.code = code;
        }
    }

    @Override
    public Reply answer(JsonNode request, Payload payload) throws IOException, InterruptedException {
        try {
            return switch (request.path("op").asString("")) {
                case "hello" -> hello(request);
                case "restore" -> restore(request);
                case "save" -> save(request, payload);
                case "save-status" -> Reply.ok(Map.of("phase", phase(whole(request, "step"))));
                case "next-save" -> nextSave(whole(request, "step"));
                case "progress" -> progress(request);
                case "result" -> result(request);
                default ->
                    Reply.refused(
                            "UNKNOWN_OP",
                            "op is '" + request.path("op").asString("")
                                    + "'; known are hello, restore, save, save-status, next-save, progress, result");
            };
        } catch (Wrong wrong) {
            return Reply.refused(wrong.code, String.valueOf(wrong.getMessage()));
        }
    }

    private Reply hello(JsonNode request) throws Wrong {
        int rank = rank(request);
        if (whole(request, "protocol") != 1) {
            throw new Wrong("PROTOCOL", "this agent speaks protocol 1; use the client it came with");
        }
        listener.ready(rank);
        CheckpointPlan plan = task.checkpoint();
        Map<String, Object> checkpoint = new LinkedHashMap<>();
        checkpoint.put("enabled", checkpoints != null);
        checkpoint.put("everySteps", plan == null ? 0 : plan.everySteps());
        checkpoint.put("everySeconds", plan == null ? 0 : plan.everySeconds());
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("protocol", 1);
        answer.put("attempt", attempt);
        answer.put("worldSize", task.worldSize());
        answer.put("restore", restoreFields(rank));
        answer.put("checkpoint", checkpoint);
        return Reply.ok(answer);
    }

    private Map<String, Object> restoreFields(int rank) {
        RestoreDecision decision = task.restore();
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("verdict", decision.verdict().name());
        fields.put("step", decision.step());
        fields.put(
                "checkpointId",
                decision.checkpointId() == null ? null : decision.checkpointId().value());
        fields.put("sizeBytes", shard(rank).map(StoredShard::sizeBytes).orElse(0L));
        return fields;
    }

    private Optional<StoredShard> shard(int rank) {
        return task.restore().shards().stream()
                .filter(shard -> shard.rank() == rank)
                .findFirst();
    }

    private Reply restore(JsonNode request) throws Wrong {
        int rank = rank(request);
        Optional<StoredShard> shard = shard(rank);
        if (task.restore().verdict() != RestoreVerdict.RESTORED || shard.isEmpty()) {
            throw new Wrong(
                    "NOTHING_TO_RESTORE",
                    "this attempt starts fresh: " + task.restore().message());
        }
        return switch (copies.find(shard.get())) {
            case Search.Damaged damaged -> Reply.refused("CORRUPT", damaged.why());
            case Search.Unreachable away -> Reply.refused("UNAVAILABLE", away.why());
            case Search.Whole whole -> send(shard.get(), whole);
        };
    }

    /** The very copy that was verified just now; one that changes its length meanwhile breaks the connection. */
    private Reply send(StoredShard shard, Search.Whole whole) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("step", task.restore().step());
        fields.put("sha256", shard.sha256());
        fields.put("payloadBytes", shard.sizeBytes());
        return Reply.ok(fields).with(channel -> {
            try (FileChannel bytes = whole.bytes().open()) {
                if (bytes.size() != shard.sizeBytes()
                        || Sha256.copy(bytes, channel).bytes() != shard.sizeBytes()) {
                    throw new IOException(
                            "the shard of rank " + shard.rank() + " changed its length while it was sent");
                }
            }
        });
    }

    private Reply save(JsonNode request, Payload payload) throws IOException, Wrong {
        int rank = rank(request);
        long step = whole(request, "step");
        if (step < 0) {
            throw new Wrong("BAD_REQUEST", "step is " + step + "; it must be 0 or more");
        }
        if (payload.left() == 0) {
            throw new Wrong("BAD_REQUEST", "the shard is empty; payloadBytes must be above 0");
        }
        CheckpointPath path = checkpoints;
        if (path == null) {
            throw new Wrong("DISABLED", "the job has no checkpoint.uri");
        }
        return switch (path.save(rank, step, payload.left(), payload)) {
            case SaveOutcome.Held held -> Reply.ok(Map.of("staged", true));
            case SaveOutcome.Refused refused -> Reply.refused(refused.code(), refused.message());
        };
    }

    private String phase(long step) {
        return checkpoints == null ? "UNKNOWN" : checkpoints.phase(step);
    }

    private Reply nextSave(long step) throws Wrong {
        if (checkpoints == null) {
            throw new Wrong("DISABLED", "the job has no checkpoint.uri");
        }
        OptionalLong next = checkpoints.nextSave(step);
        if (next.isEmpty()) {
            throw new Wrong("UNAVAILABLE", "checkpoint-service does not say the next step now; ask again later");
        }
        return Reply.ok(Map.of("nextStep", next.getAsLong()));
    }

    private Reply progress(JsonNode request) throws Wrong {
        int rank = rank(request);
        long step = whole(request, "step");
        JsonNode total = request.path("totalSteps");
        JsonNode metrics = request.path("metrics");
        refuse(RankWords.refuseMetrics(metrics));
        if (rank == 0) {
            Long totalSteps = total.canConvertToLong() ? total.longValue() : null;
            listener.progress(new Progress(step, totalSteps, RankWords.finite(metrics), clock.instant()));
        }
        return Reply.ok(Map.of());
    }

    private Reply result(JsonNode request) throws Wrong {
        int rank = rank(request);
        JsonNode given = request.path("result");
        if (!given.isObject()) {
            throw new Wrong("BAD_REQUEST", "result must be a JSON object");
        }
        refuse(RankWords.refuseResult(given));
        int size = json.writeValueAsBytes(given).length;
        if (size > LONGEST_RESULT) {
            throw new Wrong("TOO_LARGE", "the result has " + size + " bytes, at most " + LONGEST_RESULT + " are kept");
        }
        if (rank == 0) {
            listener.result(asMap(given));
        }
        return Reply.ok(Map.of());
    }

    @SuppressWarnings("unchecked")
    private Map<String, Object> asMap(JsonNode given) throws Wrong {
        try {
            return json.treeToValue(given, Map.class);
        } catch (JacksonException wrong) {
            throw new Wrong("BAD_REQUEST", "result: " + wrong.getOriginalMessage());
        }
    }

    private static void refuse(Optional<String> why) throws Wrong {
        if (why.isPresent()) {
            throw new Wrong("BAD_REQUEST", why.get());
        }
    }

    private int rank(JsonNode request) throws Wrong {
        long rank = whole(request, "rank");
        long first = (long) task.nodeRank() * task.processesPerNode();
        if (rank < first || rank >= first + task.processesPerNode()) {
            throw new Wrong(
                    "WRONG_RANK",
                    "rank " + rank + " is not on this node; its ranks are " + first + " to "
                            + (first + task.processesPerNode() - 1));
        }
        return (int) rank;
    }

    private static long whole(JsonNode request, String field) throws Wrong {
        JsonNode value = request.path(field);
        if (!value.isIntegralNumber() || !value.canConvertToLong()) {
            throw new Wrong("BAD_REQUEST", field + " must be a whole number");
        }
        return value.longValue();
    }
}
