package io.muster.edge.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A feed over a table in memory that is numbered as the change log is. */
class ChangeFeedTest {

    /** One row for each key, under the number of its last change. */
    private static final class Table implements ChangeFeed.Reader<Long> {
        private final TreeMap<Long, String> keys = new TreeMap<>();
        private final Map<String, Long> numbers = new HashMap<>();
        private long issued;
        private int reads;

        void change(String key) {
            Long before = numbers.put(key, ++issued);
            if (before != null) {
                keys.remove(before);
            }
            keys.put(issued, key);
        }

        @Override
        public List<Change<Long>> after(long number, int most) {
            reads++;
            return keys.tailMap(number, false).entrySet().stream()
                    .limit(most)
                    .map(row -> new Change<>(row.getKey(), row.getValue(), row.getKey()))
                    .toList();
        }
    }

    /** A stream, as far as it has come. */
    private static final class Stream {
        private final Map<String, Long> seen = new HashMap<>();
        private long at;

        Stream(long at) {
            this.at = at;
        }

        void step(ChangeFeed<Long> feed, long seed) {
            ChangeFeed.Batch<Long> batch = feed.after(at);
            for (Change<Long> change : batch.changes()) {
                assertThat(change.number()).as("seed %d", seed).isGreaterThan(at);
                at = change.number();
                Long before = seen.put(change.key(), change.item());
                assertThat(change.item()).as("seed %d: goes back", seed).isGreaterThan(before == null ? 0 : before);
            }
            assertThat(batch.upTo()).as("seed %d", seed).isGreaterThanOrEqualTo(at);
            at = batch.upTo();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void everyStreamSeesTheLastChangeOfEveryKeyHoweverSlowItIs(long seed) {
        Random random = new Random(seed);
        Table table = new Table();
        for (int i = 0; i < 50; i++) {
            table.change("old" + i);
        }
        ChangeFeed<Long> feed = new ChangeFeed<>(table);
        feed.startAt(table.issued);
        List<Stream> streams = new ArrayList<>(List.of(new Stream(0), new Stream(25), new Stream(feed.head())));
        for (int round = 0; round < 400; round++) {
            int keys = 1 + random.nextInt(5_000);
            for (int i = random.nextInt(60); i > 0; i--) {
                table.change("key" + random.nextInt(keys));
            }
            if (random.nextInt(3) == 0) {
                feed.advance(table.issued);
            }
            // the first is nearly always asleep, the last never
            for (int i = 0; i < streams.size(); i++) {
                if (random.nextInt(1 + 100 / (1 + i * 50)) == 0) {
                    streams.get(i).step(feed, seed);
                }
            }
        }
        feed.advance(table.issued);
        for (Stream stream : streams) {
            for (int i = 0; i < 200 && stream.at < table.issued; i++) {
                stream.step(feed, seed);
            }
            table.numbers.forEach((key, number) -> {
                if (number > 50) {
                    assertThat(stream.seen).as("seed %d", seed).containsEntry(key, number);
                }
            });
        }
        assertThat(streams.getFirst().seen.keySet()).as("from the beginning").contains("old0", "old49");
        assertThat(streams.getLast().seen.keySet()).as("from where it began").noneMatch(key -> key.startsWith("old"));
    }

    @Test
    void streamsThatKeepUpReadNothingFromTheDatabase() {
        Table table = new Table();
        ChangeFeed<Long> feed = new ChangeFeed<>(table);
        feed.startAt(0);
        List<Stream> streams = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            streams.add(new Stream(0));
        }
        for (int round = 0; round < 10; round++) {
            table.change("a");
            table.change("b" + round);
            feed.advance(table.issued);
            streams.forEach(stream -> stream.step(feed, 0));
        }
        assertThat(table.reads).as("the tail's own").isEqualTo(10);
        assertThat(streams).allSatisfy(stream -> assertThat(stream.seen).hasSize(11));
    }

    @Test
    void aNumberOfAnotherInstanceThatIsAheadIsWaitedFor() throws InterruptedException {
        Table table = new Table();
        table.change("a");
        ChangeFeed<Long> feed = new ChangeFeed<>(table);
        feed.startAt(1);
        table.change("b");
        ChangeFeed.Batch<Long> ahead = feed.after(2);
        assertThat(ahead.changes()).isEmpty();
        assertThat(ahead.upTo()).isEqualTo(2);
        feed.await(2, 1);
        table.change("c");
        feed.advance(3);
        assertThat(feed.after(2).changes()).extracting(Change::key).containsExactly("c");
    }
}
