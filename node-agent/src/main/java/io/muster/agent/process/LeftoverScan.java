package io.muster.agent.process;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Finds living processes of attempts below a jobs folder that nobody here looks after any more. */
public final class LeftoverScan {

    private final ProcessTable table;
    private final Path jobsFolder;

    public LeftoverScan(ProcessTable table, Path jobsFolder) {
        this.table = table;
        this.jobsFolder = jobsFolder;
    }

    /** Each as {@code pid 4711 of /home/jobs/job_x/1}, except those whose nodes file is in {@code lookedAfter}. */
    public List<String> find(Set<Path> lookedAfter) throws IOException {
        List<String> found = new ArrayList<>();
        for (ProcessEntry entry : table.all()) {
            if (entry.alive()) {
                table.environment(entry.pid(), AttemptProcesses.MARKER)
                        .map(Path::of)
                        .filter(file -> file.startsWith(jobsFolder) && !lookedAfter.contains(file))
                        .ifPresent(file -> found.add("pid " + entry.pid() + " of " + file.getParent()));
            }
        }
        return found;
    }
}
