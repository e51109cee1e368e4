package io.muster.scheduling.cluster;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * An immutable map in key order (an AVL tree that copies only the path to a change), so that every image keeps its own
 * without copying. Each value may weigh something; the weight before a key is known without visiting the entries.
 */
public final class OrderedMap<K extends Comparable<? super K>, V> implements Iterable<Map.Entry<K, V>> {

    private record Tree<K, V>(
            K key,
            V value,
            @Nullable Tree<K, V> left,
            @Nullable Tree<K, V> right,
            int height,
            int size,
            long weight) {}

    private final @Nullable Tree<K, V> root;
    private final ToLongFunction<? super V> weigher;

    private OrderedMap(@Nullable Tree<K, V> root, ToLongFunction<? super V> weigher) {
        this.root = root;
        this.weigher = weigher;
    }

    static <K extends Comparable<? super K>, V> OrderedMap<K, V> empty() {
        return new OrderedMap<>(null, value -> 0);
    }

    static <K extends Comparable<? super K>, V> OrderedMap<K, V> weighing(ToLongFunction<? super V> weigher) {
        return new OrderedMap<>(null, weigher);
    }

    public int size() {
        return size(root);
    }

    public @Nullable V get(K key) {
        @Nullable Tree<K, V> at = root;
        while (at != null) {
            int order = key.compareTo(at.key);
            if (order == 0) {
                return at.value;
            }
            at = order < 0 ? at.left : at.right;
        }
        return null;
    }

    /** Number of entries before the key. */
    public int sizeBefore(K key) {
        int before = 0;
        @Nullable Tree<K, V> at = root;
        while (at != null) {
            if (at.key.compareTo(key) < 0) {
                before += size(at.left) + 1;
                at = at.right;
            } else {
                at = at.left;
            }
        }
        return before;
    }

    /** Weight of the entries before the key. */
    public long weightBefore(K key) {
        long before = 0;
        @Nullable Tree<K, V> at = root;
        while (at != null) {
            if (at.key.compareTo(key) < 0) {
                before += weight(at.left) + weigher.applyAsLong(at.value);
                at = at.right;
            } else {
                at = at.left;
            }
        }
        return before;
    }

    OrderedMap<K, V> with(K key, V value) {
        return new OrderedMap<>(put(root, key, value), weigher);
    }

    OrderedMap<K, V> without(K key) {
        return get(key) == null ? this : new OrderedMap<>(remove(root, key), weigher);
    }

    /** {@code with} for a value, {@code without} for null. */
    OrderedMap<K, V> set(K key, @Nullable V value) {
        return value == null ? without(key) : with(key, value);
    }

    private Tree<K, V> put(@Nullable Tree<K, V> at, K key, V value) {
        if (at == null) {
            return tree(key, value, null, null);
        }
        int order = key.compareTo(at.key);
        if (order == 0) {
            return tree(key, value, at.left, at.right);
        }
        return order < 0
                ? balanced(at.key, at.value, put(at.left, key, value), at.right)
                : balanced(at.key, at.value, at.left, put(at.right, key, value));
    }

    private @Nullable Tree<K, V> remove(@Nullable Tree<K, V> at, K key) {
        if (at == null) {
            return null;
        }
        int order = key.compareTo(at.key);
        if (order < 0) {
            return balanced(at.key, at.value, remove(at.left, key), at.right);
        }
        if (order > 0) {
            return balanced(at.key, at.value, at.left, remove(at.right, key));
        }
        if (at.left == null || at.right == null) {
            return at.left == null ? at.right : at.left;
        }
        Tree<K, V> next = at.right;
        while (next.left != null) {
            next = next.left;
        }
        return balanced(next.key, next.value, at.left, remove(at.right, next.key));
    }

    private Tree<K, V> balanced(K key, V value, @Nullable Tree<K, V> left, @Nullable Tree<K, V> right) {
        if (left != null && left.height > height(right) + 1) {
            if (left.right != null && left.right.height > height(left.left)) {
                Tree<K, V> middle = left.right;
                return tree(
                        middle.key,
                        middle.value,
                        tree(left.key, left.value, left.left, middle.left),
                        tree(key, value, middle.right, right));
            }
            return tree(left.key, left.value, left.left, tree(key, value, left.right, right));
        }
        if (right != null && right.height > height(left) + 1) {
            if (right.left != null && right.left.height > height(right.right)) {
                Tree<K, V> middle = right.left;
                return tree(
                        middle.key,
                        middle.value,
                        tree(key, value, left, middle.left),
                        tree(right.key, right.value, middle.right, right.right));
            }
            return tree(right.key, right.value, tree(key, value, left, right.left), right.right);
        }
        return tree(key, value, left, right);
    }

    private Tree<K, V> tree(K key, V value, @Nullable Tree<K, V> left, @Nullable Tree<K, V> right) {
        return new Tree<>(
                key,
                value,
                left,
                right,
                Math.max(height(left), height(right)) + 1,
                size(left) + size(right) + 1,
                weight(left) + weight(right) + weigher.applyAsLong(value));
    }

    private static int height(@Nullable Tree<?, ?> tree) {
        return tree == null ? 0 : tree.height;
    }

    private static int size(@Nullable Tree<?, ?> tree) {
        return tree == null ? 0 : tree.size;
    }

    private static long weight(@Nullable Tree<?, ?> tree) {
        return tree == null ? 0 : tree.weight;
    }

    @Override
    public Iterator<Map.Entry<K, V>> iterator() {
        Deque<Tree<K, V>> path = new ArrayDeque<>();
        descend(root, path);
        return new Iterator<>() {
            @Override
            public boolean hasNext() {
                return !path.isEmpty();
            }

            @Override
            public Map.Entry<K, V> next() {
                if (path.isEmpty()) {
                    throw new NoSuchElementException();
                }
                Tree<K, V> at = path.pop();
                descend(at.right, path);
                return Map.entry(at.key, at.value);
            }
        };
    }

    private static <K, V> void descend(@Nullable Tree<K, V> from, Deque<Tree<K, V>> path) {
        for (@Nullable Tree<K, V> at = from; at != null; at = at.left) {
            path.push(at);
        }
    }

    /** Same entries in the same order, however the trees are shaped. */
    @Override
    public boolean equals(Object other) {
        if (!(other instanceof OrderedMap<?, ?> map) || map.size() != size()) {
            return false;
        }
        Iterator<?> theirs = map.iterator();
        for (Map.Entry<K, V> mine : this) {
            if (!mine.equals(theirs.next())) {
                return false;
            }
        }
        return true;
    }

    @Override
    public int hashCode() {
        int hash = 0;
        for (Map.Entry<K, V> entry : this) {
            hash = 31 * hash + entry.hashCode();
        }
        return hash;
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("{");
        for (Map.Entry<K, V> entry : this) {
            text.append(text.length() == 1 ? "" : ", ").append(entry);
        }
        return text.append('}').toString();
    }
}
