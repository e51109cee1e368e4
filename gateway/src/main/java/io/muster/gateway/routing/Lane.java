package io.muster.gateway.routing;

import java.util.Locale;

/** What shares one bulkhead: so many of a kind at once, and readers of logs and streams never keep anybody from submitting. */
enum Lane {
    SUBMIT,
    READ,
    LOGS,
    /** Server-Sent Events. */
    STREAMS;

    String bulkhead() {
        return name().toLowerCase(Locale.ROOT);
    }
}
