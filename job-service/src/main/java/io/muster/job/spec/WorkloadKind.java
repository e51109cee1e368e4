package io.muster.job.spec;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** What a job is for; kinds get defaults of their own as they are built. */
public enum WorkloadKind {
    PRETRAINING("pretraining"),
    FINE_TUNING("fine-tuning"),
    RL("rl"),
    INFERENCE("inference"),
    DEVELOPMENT("development"),
    DATA_PREPARATION("data-preparation");

    private final String text;

    WorkloadKind(String text) {
        this.text = text;
    }

    /** As it is written in a spec. */
    public String text() {
        return text;
    }

    static Optional<WorkloadKind> of(String text) {
        return Arrays.stream(values()).filter(kind -> kind.text.equals(text)).findFirst();
    }

    static List<String> texts() {
        return Arrays.stream(values()).map(WorkloadKind::text).toList();
    }
}
