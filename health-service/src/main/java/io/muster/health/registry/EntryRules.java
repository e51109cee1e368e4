package io.muster.health.registry;

import io.muster.contract.id.NodeId;
import io.muster.contract.node.JoinRequest;
import io.muster.contract.node.NodeFacts;
import io.muster.contract.problem.Problem;
import io.muster.contract.problem.Violation;
import io.muster.health.registry.JoinTokenRepository.Stored;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Who may enter with what; each refusal says what to do. */
final class EntryRules {

    private static final int LOWEST_PORT = 1;
    private static final int HIGHEST_PORT = 65_535;
    private static final int MOST_GPUS = 1024;

    private EntryRules() {}

    /**
     * Why a token was worth nothing: it is for one node, for one joining, until its end. Which part of a repetition
     * differs is not told with what it was: that would teach a thief.
     */
    static Problem joinRefused(@Nullable Stored token, NodeFacts facts, Instant now, Duration repeatLimit) {
        NodeId node = facts.node();
        if (token != null && !token.node().equals(node)) {
            return Problem.of(
                    403,
                    "JOIN_TOKEN_OF_ANOTHER_NODE",
                    "The join token is for another node",
                    "The join token that node " + node + " sent was made for another node.",
                    "Give the agent the token that was made for " + node + ".");
        }
        Instant usedAt = token == null ? null : token.usedAt();
        if (token != null && usedAt != null) {
            return Problem.of(
                    409,
                    "JOIN_TOKEN_USED",
                    "The join token has been used",
                    "Node " + node + " joined with this token at " + usedAt + "; a join token works once. "
                            + whyNoRepetition(token, facts, usedAt.plus(repeatLimit), now, repeatLimit),
                    "Register with the node credential from that join (POST /internal/agents/" + node
                            + "/register); if it is lost, an administrator makes a new join token.");
        }
        Instant expiresAt = token == null ? null : token.expiresAt();
        if (expiresAt != null && !expiresAt.isAfter(now)) {
            return Problem.of(
                    401,
                    "JOIN_TOKEN_EXPIRED",
                    "The join token has expired",
                    "The join token of node " + node + " expired at " + expiresAt + ".",
                    "An administrator makes a new one with POST /api/v1/nodes/join-tokens.");
        }
        return Problem.of(
                401,
                "JOIN_TOKEN_UNKNOWN",
                "The join token is not known",
                "The join token that node " + node + " sent was not made here.",
                "An administrator makes one with POST /api/v1/nodes/join-tokens.");
    }

    private static String whyNoRepetition(
            Stored stored, NodeFacts facts, Instant repeatableUntil, Instant now, Duration limit) {
        if (stored.settledAt() != null) {
            return "The join cannot be repeated: the node has used its session, or registered, at " + stored.settledAt()
                    + ".";
        }
        if (!repeatableUntil.isAfter(now)) {
            return "The join could be repeated for " + limit.toSeconds() + " s, until " + repeatableUntil + ".";
        }
        if (!facts.agentAddress().equals(stored.joinedAddress()) || facts.agentPort() != stored.joinedPort()) {
            return "This is no repetition of that join: the agent at " + facts.agentAddress() + ":" + facts.agentPort()
                    + " is not the one that joined.";
        }
        return "This is no repetition of that join: it comes from another boot of the machine.";
    }

    static Optional<Problem> refuseIncomplete(JoinRequest request) {
        List<Violation> missing = new ArrayList<>();
        if (request.joinToken() == null || request.joinToken().isBlank()) {
            missing.add(new Violation("/joinToken", "is missing", null, "the join token made for this node"));
        }
        if (request.facts() == null || request.facts().node() == null) {
            missing.add(new Violation("/facts/node", "is missing", null, "the facts of the node, with its name"));
        }
        return missing.isEmpty() ? Optional.empty() : Optional.of(unusable(missing, "the request to join"));
    }

    static Optional<Problem> refuseFacts(NodeFacts facts) {
        List<Violation> wrong = new ArrayList<>();
        if (facts.agentAddress() == null || facts.agentAddress().isBlank()) {
            wrong.add(new Violation("/facts/agentAddress", "is missing", null, "an address that peers can reach"));
        }
        if (facts.agentPort() < LOWEST_PORT || facts.agentPort() > HIGHEST_PORT) {
            wrong.add(new Violation(
                    "/facts/agentPort", "is not a port", String.valueOf(facts.agentPort()), "1 to 65535"));
        }
        if (facts.domains() == null) {
            wrong.add(new Violation("/facts/domains", "is missing", null, "rack, power, pod and cluster"));
        }
        if (facts.agentVersion() == null) {
            wrong.add(new Violation("/facts/agentVersion", "is missing", null, "a version such as 0.1.0"));
        }
        if (facts.gpus().size() > MOST_GPUS) {
            wrong.add(new Violation(
                    "/facts/gpus",
                    "has too many GPUs",
                    String.valueOf(facts.gpus().size()),
                    "at most " + MOST_GPUS));
        }
        if (facts.gpus().stream().map(gpu -> gpu.index()).distinct().count()
                != facts.gpus().size()) {
            wrong.add(new Violation("/facts/gpus", "names an index twice", null, "every index once"));
        }
        return wrong.isEmpty() ? Optional.empty() : Optional.of(unusable(wrong, "the facts of node " + facts.node()));
    }

    private static Problem unusable(List<Violation> wrong, String where) {
        return Problem.of(
                        400,
                        "INVALID_FACTS",
                        "The facts are not usable",
                        wrong.size() + (wrong.size() == 1 ? " thing is" : " things are") + " wrong in " + where + ".",
                        "Correct the agent's settings; each fault is in violations.")
                .with(wrong);
    }

    static Problem addressTaken(NodeFacts facts, NodeId holder) {
        return Problem.of(
                409,
                "ADDRESS_TAKEN",
                "The address is another living node's",
                "Node " + facts.node() + " claims " + facts.agentAddress() + ":" + facts.agentPort() + ", which is "
                        + holder + "'s, and " + holder + " is alive.",
                "Give the agent an address of its own, or stop the agent of " + holder
                        + " and try again when its lease is over.");
    }

    static Problem otherNode(NodeId caller, NodeId claimed) {
        return Problem.of(
                409,
                "FACTS_OF_ANOTHER_NODE",
                "The facts are another node's",
                "The agent of " + caller + " sent facts of " + claimed + ".",
                "Correct the agent's node name.");
    }

    static Problem neverJoined(NodeId node) {
        return Problem.of(
                404,
                "NODE_UNKNOWN",
                "The node has never joined",
                "Node " + node + " is not in the registry.",
                "Join with a join token (POST /internal/join).");
    }
}
