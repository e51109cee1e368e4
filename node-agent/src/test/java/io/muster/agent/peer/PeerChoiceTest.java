package io.muster.agent.peer;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.contract.agent.GangMember;
import io.muster.contract.id.NodeId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PeerChoiceTest {

    private static List<GangMember> members(String racks) {
        List<GangMember> members = new ArrayList<>();
        for (String rack : racks.split(" ", -1)) {
            int rank = members.size();
            members.add(new GangMember(rank, new NodeId("n" + rank), "127.0.0.1", 1, rack.equals("-") ? "" : rack));
        }
        return members;
    }

    @ParameterizedTest
    @CsvSource({
        "a a b b,0,2",
        "a a b b,1,2",
        "a a b b,2,0",
        "a a b b,3,0",
        "a b a b,0,1",
        "a b a b,3,0",
        "a a a,1,",
        "a,0,",
        "a - b,0,2",
        "a - b,1,",
        "- - -,0,",
        "a b,2,"
    })
    void theNextInAnotherRack(String racks, int rank, Integer expected) {
        List<GangMember> members = new ArrayList<>(members(racks));
        Collections.shuffle(members, new Random(1));
        assertThat(PeerChoice.of(members, rank).map(GangMember::nodeRank).orElse(null))
                .isEqualTo(expected);
    }
}
