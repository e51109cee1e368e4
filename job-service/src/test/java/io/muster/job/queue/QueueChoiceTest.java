package io.muster.job.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.contract.id.ProjectId;
import io.muster.contract.id.QueuePath;
import io.muster.contract.id.TenantId;
import io.muster.contract.quota.QuotaNode;
import io.muster.contract.quota.QuotaTree;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class QueueChoiceTest {

    private static final TenantId ACME = new TenantId("acme");
    private static final ProjectId LLM = new ProjectId("llm");

    private final QuotaTree tree = new QuotaTree(
            7,
            List.of(
                    node("/", null, false),
                    node("default", null, false),
                    node("acme", "acme", false),
                    node("acme/open", null, false, "acme/llm"),
                    node("acme/closing", null, true),
                    node("acme/mixed", "rival", false),
                    node("old", null, true),
                    node("old/leaf", null, false),
                    node("rival", "rival", false)));

    private static QuotaNode node(String path, @Nullable String tenant, boolean closing, String... defaultOf) {
        return new QuotaNode(
                new QueuePath(path),
                0,
                null,
                1,
                false,
                false,
                closing,
                tenant == null ? null : new TenantId(tenant),
                List.of(defaultOf));
    }

    private String chosen(@Nullable String wanted, String project) {
        QueueChoice.Choice choice =
                QueueChoice.choose(tree, ACME, new ProjectId(project), wanted == null ? null : new QueuePath(wanted));
        return switch (choice) {
            case QueueChoice.Chosen chosen -> chosen.queue().value();
            case QueueChoice.Refused refused ->
                "refused: " + refused.violation().message();
        };
    }

    @Test
    void theProjectsOwnDefaultComesBeforeTheCommonOne() {
        assertThat(chosen(null, "llm")).isEqualTo("acme/open");
        assertThat(chosen(null, "vision")).isEqualTo("default");
    }

    @Test
    void aNamedLeafMustBeOpenAndOnesOwn() {
        assertThat(chosen("acme/open", "llm")).isEqualTo("acme/open");
        assertThat(chosen("default", "llm")).isEqualTo("default");
        assertThat(chosen("acme", "llm")).contains("has queues below it");
        assertThat(chosen("acme/closing", "llm")).contains("is closing");
        assertThat(chosen("old/leaf", "llm")).as("its parent is closing").contains("is closing");
        assertThat(chosen("acme/opne", "llm")).contains("did you mean 'acme/open'");
    }

    @Test
    void anotherTenantsQueueIsAnsweredLikeNone() {
        String hidden = chosen("rival", "llm");
        assertThat(hidden).isEqualTo(chosen("nothing", "llm").replace("nothing", "rival"));
        assertThat(chosen("acme/mixed", "llm")).contains("no queue");
        QueueChoice.Choice choice = QueueChoice.choose(tree, ACME, LLM, new QueuePath("rival"));
        assertThat(((QueueChoice.Refused) choice).violation().allowed()).doesNotContain("rival");
    }

    @Test
    void withoutAnyDefaultThePersonIsToldWhatThereIs() {
        QuotaTree bare = new QuotaTree(1, List.of(node("/", null, false), node("a", null, false)));
        QueueChoice.Refused refused = (QueueChoice.Refused) QueueChoice.choose(bare, ACME, LLM, null);
        assertThat(refused.violation().message()).contains("queue is missing");
        assertThat(refused.violation().allowed()).isEqualTo("a");
    }
}
