package io.muster.job.spec;

import java.util.Set;

/** Variables that Muster itself sets for a rank (docs/client-protocol.md); a user may not. {@code NCCL_*} is the user's. */
final class ReservedEnvironment {

    static final String ALLOWED =
            "any name but MUSTER_*, PET_*, RANK, WORLD_SIZE, LOCAL_RANK, LOCAL_WORLD_SIZE, GROUP_RANK, MASTER_ADDR,"
                    + " MASTER_PORT and CUDA_VISIBLE_DEVICES";

    private static final Set<String> NAMES = Set.of(
            "RANK",
            "WORLD_SIZE",
            "LOCAL_RANK",
            "LOCAL_WORLD_SIZE",
            "GROUP_RANK",
            "MASTER_ADDR",
            "MASTER_PORT",
            "CUDA_VISIBLE_DEVICES");

    private ReservedEnvironment() {}

    static boolean holds(String name) {
        return name.startsWith("MUSTER_") || name.startsWith("PET_") || NAMES.contains(name);
    }
}
