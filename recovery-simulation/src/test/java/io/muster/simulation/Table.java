package io.muster.simulation;

import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Rows by key that outlive their service; every write belongs to a transaction. */
public final class Table<K extends Comparable<K>, V> {

    private final TreeMap<K, V> rows = new TreeMap<>();
    private final Database database;

    public Table(Database database) {
        this.database = database;
    }

    public @Nullable V get(K key) {
        return rows.get(key);
    }

    public Optional<V> find(K key) {
        return Optional.ofNullable(rows.get(key));
    }

    public NavigableMap<K, V> rows() {
        return rows;
    }

    public void put(K key, V row) {
        V before = rows.put(key, row);
        database.undo(() -> restore(key, before));
    }

    public void remove(K key) {
        V before = rows.remove(key);
        database.undo(() -> restore(key, before));
    }

    private void restore(K key, @Nullable V before) {
        if (before == null) {
            rows.remove(key);
        } else {
            rows.put(key, before);
        }
    }
}
