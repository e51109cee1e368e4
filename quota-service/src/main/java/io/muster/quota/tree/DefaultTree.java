package io.muster.quota.tree;

import io.muster.contract.id.QueuePath;
import io.muster.contract.quota.QuotaNode;
import io.muster.contract.quota.QuotaTree;
import java.util.List;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.stereotype.Component;

/**
 * The tree of a new installation, so that a first job needs no set-up: {@code default} takes jobs of everybody without a
 * limit, {@code pool} is the public pool. Stored before the first request is answered.
 */
@Component
class DefaultTree implements SmartInitializingSingleton {

    static final List<String> AS_WORDS = List.of("the tree of a new installation: /, default, pool");

    static final QuotaTree TREE =
            new QuotaTree(1, List.of(node("/", false), node("default", false), node("pool", true)));

    private final ReplaceTree replaceTree;

    DefaultTree(ReplaceTree replaceTree) {
        this.replaceTree = replaceTree;
    }

    @Override
    public void afterSingletonsInstantiated() {
        replaceTree.begin(TREE);
    }

    private static QuotaNode node(String path, boolean pool) {
        return new QuotaNode(new QueuePath(path), 0, null, 1, false, pool, false, null, List.of());
    }
}
