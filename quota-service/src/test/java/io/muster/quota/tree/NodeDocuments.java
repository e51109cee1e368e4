package io.muster.quota.tree;

import io.muster.quota.tree.TreeDocument.NodeDocument;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes nodes the way a person does: only what is not the default. */
final class NodeDocuments {

    private final String path;
    private @Nullable Long guaranteed;
    private @Nullable Long limit;
    private @Nullable Integer weight;
    private @Nullable Boolean isolated;
    private @Nullable Boolean pool;
    private @Nullable Boolean closing;
    private @Nullable String tenant;
    private @Nullable List<String> defaultOf;

    private NodeDocuments(String path) {
        this.path = path;
    }

    static NodeDocuments node(String path) {
        return new NodeDocuments(path);
    }

    static NodeDocuments edit(NodeDocument node) {
        var edited = new NodeDocuments(node.path());
        edited.guaranteed = node.guaranteedGpus();
        edited.limit = node.limitGpus();
        edited.weight = node.weight();
        edited.isolated = node.isolated();
        edited.pool = node.pool();
        edited.closing = node.closing();
        edited.tenant = node.tenant();
        edited.defaultOf = node.defaultOf();
        return edited;
    }

    NodeDocuments guaranteed(long gpus) {
        guaranteed = gpus;
        return this;
    }

    NodeDocuments unlimited() {
        limit = null;
        return this;
    }

    NodeDocuments limit(long gpus) {
        limit = gpus;
        return this;
    }

    NodeDocuments weight(int value) {
        weight = value;
        return this;
    }

    NodeDocuments isolated(boolean value) {
        isolated = value;
        return this;
    }

    NodeDocuments pool(boolean value) {
        pool = value;
        return this;
    }

    NodeDocuments closing(boolean value) {
        closing = value;
        return this;
    }

    NodeDocuments tenant(@Nullable String value) {
        tenant = value;
        return this;
    }

    NodeDocuments defaultOf(String... projects) {
        defaultOf = List.of(projects);
        return this;
    }

    NodeDocument made() {
        return new NodeDocument(path, guaranteed, limit, weight, isolated, pool, closing, tenant, defaultOf);
    }

    NodeDocument at(String other) {
        return new NodeDocument(other, guaranteed, limit, weight, isolated, pool, closing, tenant, defaultOf);
    }
}
