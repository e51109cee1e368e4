package io.muster.health.check;

import io.muster.contract.node.CheckResult;
import io.muster.contract.node.CheckStatus;
import io.muster.contract.node.NodeFacts;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The checks that health-service makes itself, from a node's facts: agent_version and gpu_count against the inventory. */
public final class FactChecks {

    private static final Pattern VERSION = Pattern.compile("v?(\\d{1,6})\\.(\\d{1,6})(?:\\.(\\d{1,6}))?(?:[-+].*)?");

    /** What an agent says that runs from a developer's class folder. */
    private static final String UNPACKAGED = "unpackaged";

    private FactChecks() {}

    public static List<CheckResult> of(NodeFacts facts, int inventoryGpus, String minimumAgentVersion, Instant now) {
        return List.of(
                agentVersion(facts.agentVersion(), minimumAgentVersion, now), gpuCount(facts, inventoryGpus, now));
    }

    /** A version that cannot be compared is not known to be new enough: FAIL. */
    static CheckResult agentVersion(String version, String minimum, Instant now) {
        if (version.equals(UNPACKAGED)) {
            return result(
                    TierACheck.AGENT_VERSION,
                    CheckStatus.WARN,
                    "the agent runs from unpackaged classes, so its version is not known",
                    now);
        }
        int[] has = parse(version);
        int[] needs = parse(minimum);
        if (has.length == 0 || needs.length == 0) {
            return result(
                    TierACheck.AGENT_VERSION,
                    CheckStatus.FAIL,
                    "agent version '" + version + "' is not of the form 1.2.3, at least " + minimum + " is needed",
                    now);
        }
        return Arrays.compare(has, needs) < 0
                ? result(
                        TierACheck.AGENT_VERSION,
                        CheckStatus.FAIL,
                        "agent version " + version + " is older than " + minimum + ": update the agent",
                        now)
                : result(TierACheck.AGENT_VERSION, CheckStatus.PASS, "agent version " + version, now);
    }

    static CheckResult gpuCount(NodeFacts facts, int inventory, Instant now) {
        int seen = facts.gpus().size();
        String measured = seen + " GPUs seen, " + inventory + " in the inventory";
        if (seen == inventory) {
            return result(TierACheck.GPU_COUNT, CheckStatus.PASS, measured, now);
        }
        return seen < inventory
                ? result(
                        TierACheck.GPU_COUNT,
                        CheckStatus.FAIL,
                        measured + ": " + (inventory - seen) + " fell off the bus or were taken out",
                        now)
                : result(
                        TierACheck.GPU_COUNT,
                        CheckStatus.WARN,
                        measured + ": join the node again to take the new ones into the inventory",
                        now);
    }

    private static int[] parse(String version) {
        Matcher matcher = VERSION.matcher(version);
        if (!matcher.matches()) {
            return new int[0];
        }
        String patch = matcher.group(3);
        return new int[] {
            Integer.parseInt(matcher.group(1)),
            Integer.parseInt(matcher.group(2)),
            patch == null ? 0 : Integer.parseInt(patch)
        };
    }

    private static CheckResult result(TierACheck check, CheckStatus status, String message, Instant now) {
        return new CheckResult(check.checkName(), status, true, message, 0, now);
    }
}
