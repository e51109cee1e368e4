package io.muster.simulation;

import java.util.List;
import java.util.stream.Stream;
import org.springframework.beans.factory.ObjectProvider;

/** What Spring would collect. */
public record Several<T>(List<T> all) implements ObjectProvider<T> {

    @Override
    public Stream<T> stream() {
        return all.stream();
    }

    @Override
    public Stream<T> orderedStream() {
        return all.stream();
    }
}
