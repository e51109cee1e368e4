package io.muster.job.spec;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Every field a job spec has or will have (docs/job-spec.md), by dotted path. What is known but not accepted is refused
 * by name, never ignored; what is not known is answered with the nearest name of the same object.
 */
final class SpecCatalogue {

    enum Support {
        ACCEPTED,
        NOT_YET
    }

    private static final String ACCEPTED = """
            name project queue kind priority
            runtime runtime.command[] runtime.args[] runtime.workingDir runtime.env{} runtime.client runtime.image runtime.envProfile
            resources resources.nodes resources.gpusPerNode resources.processesPerNode resources.gpuTypes[] resources.minDriverVersion
            topology topology.within topology.mode topology.spread topology.spread.domain topology.spread.maxNodes topology.avoidNodes[]
            checkpoint checkpoint.uri checkpoint.interval checkpoint.resumeFrom
            faultTolerance faultTolerance.platformRestarts faultTolerance.userRestarts faultTolerance.hangTimeout
            limits limits.maxRuntime
            labels{}
            """;

    private static final String NOT_YET = """
            preemptible borrowing
            profile profile.parallelism profile.parallelism.tensor profile.parallelism.pipeline profile.parallelism.data
            profile.bytesPerStep profile.dtype profile.expectedDuration
            runtime.framework runtime.secrets[]
            resources.cpusPerNode resources.memoryPerNode resources.sharedMemory resources.spareNodes resources.rdma
            topology.segmentNodes
            subgroups[] subgroups[].name subgroups[].count subgroups[].nodes subgroups[].within subgroups[].mode
            taskGroups[] taskGroups[].name taskGroups[].role taskGroups[].runtime taskGroups[].resources taskGroups[].topology
            taskGroups[].startAfter[]
            faultTolerance.replaceNode faultTolerance.preflight faultTolerance.minNodes
            checkpoint.keepLast
            limits.maxQueueTime limits.maxGpuHours
            schedule schedule.startAfter schedule.stopNotice schedule.urgency schedule.latestStart
            keepAfterEnd notify[]
            """;

    private static final Map<String, Support> FIELDS = read();

    private SpecCatalogue() {}

    /** Dotted path without {@code []} and {@code {}} to support, in the order of the documentation. */
    static Map<String, Support> fields() {
        return FIELDS;
    }

    /** The names of an object's fields; the empty path is the spec itself. */
    static List<String> namesIn(String object) {
        String prefix = object.isEmpty() ? "" : object + ".";
        List<String> names = new ArrayList<>();
        for (String path : FIELDS.keySet()) {
            if (path.startsWith(prefix) && path.indexOf('.', prefix.length()) < 0) {
                names.add(path.substring(prefix.length()));
            }
        }
        return names;
    }

    private static Map<String, Support> read() {
        Map<String, Support> fields = new LinkedHashMap<>();
        for (String path : ACCEPTED.split("\\s+", -1)) {
            put(fields, path, Support.ACCEPTED);
        }
        for (String path : NOT_YET.split("\\s+", -1)) {
            put(fields, path, Support.NOT_YET);
        }
        return Collections.unmodifiableMap(fields);
    }

    private static void put(Map<String, Support> fields, String path, Support support) {
        if (!path.isEmpty()) {
            fields.put(path.replace("[]", "").replace("{}", ""), support);
        }
    }
}
