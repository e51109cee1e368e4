package io.muster.local.observability;

import java.util.List;
import java.util.Map;

/**
 * What one name of a query can stand for.
 *
 * @param rises only ever grows, so that only its rate means something
 * @param labels with the values that they can have; an empty list: any
 */
record Series(boolean rises, Map<String, List<String>> labels) {

    Series {
        labels = Map.copyOf(labels);
    }
}
