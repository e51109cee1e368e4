package io.muster.agent.desired;

import io.muster.agent.disk.SafeFile;
import io.muster.contract.agent.DesiredState;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * Whom this agent obeys, kept in {@code state.json}: the cluster and incarnation of the first contact, and revisions at
 * least as high as the last. On another incarnation nothing is started or stopped until an administrator removes the
 * file. An unreadable file counts as foreign: guessing could end somebody's ranks.
 */
final class Obedience {

    private static final Logger LOG = LoggerFactory.getLogger(Obedience.class);
    private static final int LONGEST = 64 * 1024;

    record Oath(String clusterId, String incarnation, long revision) {}

    enum Verdict {
        OBEY,
        BEHIND,
        FOREIGN
    }

    private final Path file;
    private final JsonMapper json;
    private @Nullable Oath oath;
    private boolean unreadable;
    private String lastComplaint = "";

    Obedience(Path home, JsonMapper json) {
        this.file = home.resolve("state.json");
        this.json = json;
        try {
            this.oath = SafeFile.read(file, LONGEST)
                    .map(content -> json.readValue(content, Oath.class))
                    .orElse(null);
        } catch (IOException | JacksonException broken) {
            LOG.error("{} is unreadable; nothing is started or stopped until it is removed", file);
            unreadable = true;
        }
    }

    synchronized Optional<String> incarnation() {
        return Optional.ofNullable(oath).map(Oath::incarnation);
    }

    synchronized long revision() {
        return oath == null ? 0 : oath.revision();
    }

    /** Judges an answer and remembers it if it is to be obeyed; the memory is on disk before anything is done. */
    synchronized Verdict judge(DesiredState desired) {
        if (unreadable) {
            return Verdict.FOREIGN;
        }
        Oath sworn = oath;
        if (sworn != null
                && !(sworn.clusterId().equals(desired.clusterId())
                        && sworn.incarnation().equals(desired.incarnation()))) {
            complain("job-service is incarnation " + desired.incarnation() + " of cluster " + desired.clusterId()
                    + ", this node belongs to incarnation " + sworn.incarnation() + " of " + sworn.clusterId()
                    + "; nothing is started or stopped. If the new one is right, remove " + file
                    + " and restart the agent");
            return Verdict.FOREIGN;
        }
        if (sworn != null && desired.revision() < sworn.revision()) {
            complain("desired state has revision " + desired.revision() + ", " + sworn.revision()
                    + " was seen before; it is not obeyed");
            return Verdict.BEHIND;
        }
        lastComplaint = "";
        if (sworn == null || desired.revision() > sworn.revision()) {
            swear(new Oath(desired.clusterId(), desired.incarnation(), desired.revision()));
        }
        return Verdict.OBEY;
    }

    private void swear(Oath next) {
        oath = next;
        try {
            SafeFile.write(file, json.writeValueAsBytes(next));
        } catch (IOException broken) {
            LOG.error("{} cannot be written: {}", file, broken.toString());
        }
    }

    private void complain(String reason) {
        if (!reason.equals(lastComplaint)) {
            LOG.error("{}", reason);
            lastComplaint = reason;
        }
    }
}
