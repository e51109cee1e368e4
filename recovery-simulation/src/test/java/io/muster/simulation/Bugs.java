package io.muster.simulation;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.AppenderBase;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Some of the code under test catches a bug, logs it as an error and goes on: that is seen here. Named in logback-test.xml. */
public final class Bugs extends AppenderBase<ILoggingEvent> {

    private static final InheritableThreadLocal<AtomicReference<@Nullable String>> SEEN =
            new InheritableThreadLocal<>();

    static void begin() {
        SEEN.set(new AtomicReference<>());
    }

    static @Nullable String seen() {
        return SEEN.get().get();
    }

    @Override
    protected void append(ILoggingEvent event) {
        AtomicReference<@Nullable String> seen = SEEN.get();
        if (seen != null) {
            String thrown =
                    event.getThrowableProxy() == null ? "" : ThrowableProxyUtil.asString(event.getThrowableProxy());
            seen.compareAndSet(null, event.getFormattedMessage() + "\n" + thrown);
        }
    }
}
