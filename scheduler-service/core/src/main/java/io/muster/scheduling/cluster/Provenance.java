package io.muster.scheduling.cluster;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/** Where an image comes from: its version, and the highest sequence taken from each source. */
public record Provenance(long version, SortedMap<String, Long> sequences) {

    static final Provenance NONE = new Provenance(0, Collections.emptySortedMap());

    public Provenance {
        sequences = Collections.unmodifiableSortedMap(new TreeMap<>(sequences));
    }

    Provenance next() {
        return new Provenance(version + 1, sequences);
    }

    Provenance with(String source, long sequence) {
        TreeMap<String, Long> extended = new TreeMap<>(sequences);
        extended.merge(source, sequence, Math::max);
        return new Provenance(version, extended);
    }
}
