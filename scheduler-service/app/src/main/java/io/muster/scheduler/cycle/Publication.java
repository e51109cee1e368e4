package io.muster.scheduler.cycle;

import org.springframework.stereotype.Component;

/** Hands the newest {@link Published} from the decision thread to everyone else. */
@Component
public class Publication {

    private volatile Published current = Published.NOTHING;

    public Published current() {
        return current;
    }

    void publish(Published next) {
        current = next;
    }
}
