package io.muster.scheduling.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OrderedMapTest {

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void behavesAsATreeMapAndLeavesOlderVersionsAlone(long seed) {
        Random random = new Random(seed);
        TreeMap<Integer, Integer> expected = new TreeMap<>();
        OrderedMap<Integer, Integer> map = OrderedMap.weighing(Integer::longValue);
        OrderedMap<Integer, Integer> old = map;
        Map<Integer, Integer> oldExpected = Map.of();
        for (int step = 0; step < 2_000; step++) {
            int key = random.nextInt(300);
            if (random.nextInt(3) == 0) {
                expected.remove(key);
                map = map.without(key);
            } else {
                expected.put(key, step);
                map = map.with(key, step);
            }
            if (step == 1_000) {
                old = map;
                oldExpected = new TreeMap<>(expected);
            }
            assertThat(map.size()).isEqualTo(expected.size());
            assertThat(map.get(key)).isEqualTo(expected.get(key));
            assertThat(map.sizeBefore(key)).isEqualTo(expected.headMap(key).size());
            assertThat(map.weightBefore(key))
                    .isEqualTo(expected.headMap(key).values().stream()
                            .mapToLong(Integer::longValue)
                            .sum());
        }
        assertThat(entries(map)).isEqualTo(List.copyOf(expected.entrySet()));
        assertThat(entries(old)).isEqualTo(List.copyOf(oldExpected.entrySet()));
    }

    private static List<Map.Entry<Integer, Integer>> entries(OrderedMap<Integer, Integer> map) {
        List<Map.Entry<Integer, Integer>> entries = new ArrayList<>();
        map.forEach(entries::add);
        return entries;
    }
}
