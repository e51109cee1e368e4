package io.muster.edge.page;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of a list in a stable order.
 *
 * @param nextPageToken given back as {@code pageToken} for the next page; null on the last
 */
public record Page<T>(List<T> items, @Nullable String nextPageToken) {

    public static final int DEFAULT_SIZE = 50;
    public static final int MAX_SIZE = 500;

    public Page {
        items = List.copyOf(items);
    }
}
