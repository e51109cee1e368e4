package io.muster.edge.stream;

/** What writers see of the change log: they say that something has changed, and no more. */
public interface ChangeMarks {

    /** In the writer's transaction, or not at all. */
    void mark(String feed, String key);
}
