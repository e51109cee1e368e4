package io.muster.gateway.routing;

import java.util.Locale;

/** What shares one bulkhead: so many of a kind at once, and heavy readers of logs never keep anybody from submitting. */
enum Lane {
    SUBMIT,
    READ,
    LOGS;

    String bulkhead() {
        return name().toLowerCase(Locale.ROOT);
    }
}
