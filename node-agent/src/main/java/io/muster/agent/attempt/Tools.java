package io.muster.agent.attempt;

import io.muster.agent.checkpoint.CheckpointPath;
import io.muster.agent.checks.NodeChecks;
import io.muster.agent.checks.NodeChecks.Preflight;
import io.muster.agent.logs.LogShipper;
import io.muster.agent.process.Kernel;
import io.muster.agent.process.Orphans;
import io.muster.agent.process.ProcessTable;
import io.muster.agent.process.RankLauncher;
import io.muster.agent.settings.AgentSettings;
import io.muster.contract.agent.Assignment;
import io.muster.contract.agent.GangTask;
import java.time.InstantSource;
import java.util.function.LongSupplier;
import tools.jackson.databind.json.JsonMapper;

/**
 * What every attempt on this node works with.
 *
 * @param machineLife another one after every boot of the machine
 */
public record Tools(
        AgentSettings settings,
        ProcessTable table,
        Kernel kernel,
        Orphans orphans,
        RankLauncher launcher,
        Examiner examiner,
        Courier courier,
        LogShipper logs,
        CheckpointPath.Means checkpoints,
        NodeChecks.Copies copies,
        LongSupplier memoryKills,
        String machineLife,
        JsonMapper json,
        InstantSource clock,
        Runnable changed) {

    /** Runs the preflight of a gang on this node. */
    public interface Examiner {
        Preflight preflight(Assignment assignment, GangTask task) throws InterruptedException;
    }

    /** Tells health-service what a preflight found; takes its own time. */
    public interface Courier {
        void tell(Assignment assignment, GangTask task, Preflight preflight);
    }
}
