package io.muster.quota.tree;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A tree as somebody sends it: nothing is certain yet. It has the form of the tree that {@code GET} answers, so that it
 * can be read, edited and sent back.
 *
 * @param version the version it was edited from; may be left out, {@code If-Match} says it too
 */
record TreeDocument(@Nullable Long version, @Nullable List<@Nullable NodeDocument> nodes) {

    /** A node as somebody sends it; what is left out has the default of {@link NodeReading}. */
    record NodeDocument(
            @Nullable String path,
            @Nullable Long guaranteedGpus,
            @Nullable Long limitGpus,
            @Nullable Integer weight,
            @Nullable Boolean isolated,
            @Nullable Boolean pool,
            @Nullable Boolean closing,
            @Nullable String tenant,
            @Nullable List<@Nullable String> defaultOf) {}
}
