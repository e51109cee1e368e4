package io.muster.messaging;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The events that one relay carries. Within a lane a topic that takes nothing holds up all events; no lane waits for
 * another, so a topic that nothing may wait for has one of its own.
 */
sealed interface RelayLane {

    /** Names its lease; the same in every instance and every life of the service. */
    int number();

    /** Part of the transactional id and of thread names. */
    String name();

    /** Keys of one remainder, on all topics but those. */
    record Shard(int number, int shards, List<String> without) implements RelayLane {

        @Override
        public String name() {
            return Integer.toString(number);
        }
    }

    /** All keys of one topic; numbered below zero by its name, whatever other topics have lanes. */
    record OfTopic(String topic) implements RelayLane {

        @Override
        public int number() {
            return ~(topic.hashCode() & Integer.MAX_VALUE);
        }

        @Override
        public String name() {
            return topic;
        }
    }

    static List<RelayLane> of(int shards, List<String> ownLane) {
        Stream<RelayLane> rest = IntStream.range(0, shards).mapToObj(number -> new Shard(number, shards, ownLane));
        return Stream.concat(rest, ownLane.stream().map(OfTopic::new)).toList();
    }
}
