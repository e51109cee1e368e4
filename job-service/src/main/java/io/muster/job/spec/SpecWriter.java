package io.muster.job.spec;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The effective spec: every accepted field with its value, in the form in which it can be submitted again. */
public final class SpecWriter {

    private SpecWriter() {}

    public static Map<String, Object> write(JobSpec spec) {
        Map<String, Object> out = new LinkedHashMap<>();
        out.put("name", spec.name());
        put(out, "project", spec.project() == null ? null : spec.project().value());
        put(out, "queue", spec.queue() == null ? null : spec.queue().value());
        out.put("kind", spec.kind().text());
        out.put("priority", spec.priority().written());
        out.put("runtime", runtime(spec.runtime()));
        out.put("resources", resources(spec.resources()));
        out.put("topology", topology(spec.topology()));
        JobSpec.Checkpoint checkpoint = spec.checkpoint();
        if (checkpoint != null) {
            out.put("checkpoint", checkpoint(checkpoint));
        }
        out.put("faultTolerance", faultTolerance(spec.faultTolerance()));
        if (spec.maxRuntime() != null) {
            out.put("limits", Map.of("maxRuntime", spec.maxRuntime().toString()));
        }
        out.put("labels", spec.labels());
        return out;
    }

    private static Map<String, Object> faultTolerance(JobSpec.FaultTolerance tolerance) {
        Map<String, Object> out = new LinkedHashMap<>();
        out.put("platformRestarts", tolerance.platformRestarts());
        out.put("userRestarts", tolerance.userRestarts());
        return out;
    }

    private static Map<String, Object> runtime(JobSpec.Runtime runtime) {
        Map<String, Object> out = new LinkedHashMap<>();
        out.put("command", runtime.command());
        out.put("args", runtime.args());
        put(out, "workingDir", runtime.workingDir());
        out.put("env", runtime.env());
        out.put("client", runtime.client());
        put(out, "image", runtime.image());
        out.put("envProfile", SpecReader.lower(runtime.envProfile()));
        return out;
    }

    private static Map<String, Object> resources(JobSpec.Resources resources) {
        Map<String, Object> out = new LinkedHashMap<>();
        out.put("nodes", resources.nodes());
        out.put("gpusPerNode", resources.gpusPerNode());
        out.put("processesPerNode", resources.processesPerNode());
        out.put("gpuTypes", resources.gpuTypes());
        put(out, "minDriverVersion", resources.minDriverVersion());
        return out;
    }

    private static Map<String, Object> topology(JobSpec.Topology topology) {
        Map<String, Object> out = new LinkedHashMap<>();
        out.put("within", SpecReader.lower(topology.within()));
        out.put("mode", SpecReader.lower(topology.mode()));
        if (topology.spread() != null) {
            Map<String, Object> spread = new LinkedHashMap<>();
            spread.put("domain", SpecReader.lower(topology.spread().domain()));
            spread.put("maxNodes", topology.spread().maxNodes());
            out.put("spread", spread);
        }
        out.put(
                "avoidNodes",
                topology.avoidNodes().stream().map(node -> node.value()).toList());
        return out;
    }

    private static Map<String, Object> checkpoint(JobSpec.Checkpoint checkpoint) {
        Map<String, Object> out = new LinkedHashMap<>();
        out.put("uri", checkpoint.uri());
        out.put("interval", checkpoint.interval().written());
        out.put("resumeFrom", checkpoint.resumeFrom());
        return out;
    }

    private static void put(Map<String, Object> out, String name, @Nullable Object value) {
        if (value != null) {
            out.put(name, value);
        }
    }
}
