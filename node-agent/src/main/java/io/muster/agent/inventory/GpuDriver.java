package io.muster.agent.inventory;

import io.muster.contract.node.GpuFacts;
import java.io.IOException;
import java.util.List;

/** Where facts about this node's GPUs come from. */
public sealed interface GpuDriver permits SimulatedGpus, NvidiaGpus {

    String name();

    /** The GPUs that answer now; one that does not answer is missing, not invented. */
    Reading read() throws IOException;

    record Reading(String driverVersion, List<GpuFacts> gpus) {

        public Reading {
            gpus = List.copyOf(gpus);
        }
    }
}
