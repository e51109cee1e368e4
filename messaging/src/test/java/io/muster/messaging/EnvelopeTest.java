package io.muster.messaging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.muster.messaging.Envelope.Readable;
import io.muster.messaging.Envelope.Unreadable;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

class EnvelopeTest {

    private static final String GOOD = """
            {"specversion":"1.0","id":"id-1","source":"/muster/test","type":"io.muster.test.meter-read.v1",\
            "subject":"m1","time":"2026-11-29T10:15:30Z","datacontenttype":"application/json",\
            "dataschema":"urn:muster:schema:io.muster.test.meter-read.v1","partitionkey":"m1","sequence":"7",\
            "data":{"value":70,"note":"n"}}""";

    private final Envelope envelope = new Envelope(JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build());

    @Test
    void writesCloudEventsInStructuredJson() {
        var event = new OutgoingEvent("t", "m1", "io.muster.test.meter-read.v1", "m1", 7, new Meter(70, "n"));
        assertThat(envelope.write(event, "id-1", "/muster/test", Instant.parse("2026-11-29T10:15:30Z")))
                .isEqualTo(GOOD);
    }

    @Test
    void readsWhatItWroteAndIgnoresWhatANewerSenderAdds() {
        String newer = GOOD.replace("\"value\"", "\"added\":[1],\"value\"")
                .replace("{\"spec", "{\"traceparent\":\"x\",\"spec");
        var expected = new EventMetadata(
                "id-1", "io.muster.test.meter-read.v1", "/muster/test", "m1", 7, Instant.parse("2026-11-29T10:15:30Z"));
        for (String json : new String[] {GOOD, newer}) {
            assertThat(envelope.read(utf8("m1"), utf8(json), Meter.class))
                    .isEqualTo(new Readable<>(expected, new Meter(70, "n"), json));
        }
        assertThat(envelope.read(null, utf8(GOOD), Meter.class))
                .isInstanceOfSatisfying(
                        Readable.class,
                        read -> assertThat(read.metadata().key()).isEqualTo("m1"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            "specversion":"1.0", | | specversion
            "1.0" | "0.3" | specversion
            "id":"id-1", | | attribute id is missing
            "id-1" | " " | attribute id is missing
            "/muster/test" | 5 | attribute source is missing
            "type":"io.muster.test.meter-read.v1", | | attribute type is missing
            "sequence":"7", | | attribute sequence is missing
            "7" | "seven" | sequence is not a number
            "7" | "99999999999999999999" | sequence is not a number
            2026-11-29T | yesterday | time is not a time
            {"value":70,"note":"n"} | null | it has no data
            {"value":70,"note":"n"} | [] | not a Meter
            70 | "many" | not a Meter
            70 | null | not a Meter
            "n"}} | | not a Meter
            """)
    void unreadableIsSaidWhy(String part, String replacement, String reason) {
        String broken = GOOD.replace(part, replacement == null ? "" : replacement);
        assertThat(broken).isNotEqualTo(GOOD);
        assertThat(envelope.read(utf8("m1"), utf8(broken), Meter.class))
                .isInstanceOfSatisfying(
                        Unreadable.class, read -> assertThat(read.reason()).contains(reason));
    }

    @Test
    void whatPostgresCannotStoreAsAKeyIsUnreadableNotABlockedPartition() {
        for (String key : new String[] {"", "a\0b", "k".repeat(501)}) {
            assertThat(envelope.read(utf8(key), utf8(GOOD), Meter.class)).isInstanceOf(Unreadable.class);
        }
        byte[] utf16 = GOOD.getBytes(StandardCharsets.UTF_16);
        assertThat(envelope.read(utf8("m1"), utf16, Meter.class)).isInstanceOf(Unreadable.class);
    }

    @Test
    void outgoingEventsAreChecked() {
        assertThatThrownBy(() -> new OutgoingEvent("t", "", "type", "s", 1, "d"))
                .hasMessageContaining("key");
        assertThatThrownBy(() -> new OutgoingEvent("t", "k", "type", "s", -1, "d"))
                .hasMessageContaining("-1");
    }

    @Test
    void idsAreUuidsOfVersionSevenAndSortByTime() {
        UUID earlier = UUID.fromString(new EventIds(InstantSource.fixed(Instant.ofEpochMilli(1_000))).next());
        UUID later = UUID.fromString(new EventIds(InstantSource.fixed(Instant.ofEpochMilli(1_001))).next());
        assertThat(earlier.version()).isEqualTo(7);
        assertThat(earlier.variant()).isEqualTo(2);
        assertThat(earlier.getMostSignificantBits() >>> 16).isEqualTo(1_000);
        assertThat(earlier.toString()).isLessThan(later.toString());
        var ids = new EventIds(InstantSource.fixed(Instant.ofEpochMilli(1_000)));
        assertThat(java.util.stream.Stream.generate(ids::next).limit(10_000).distinct())
                .hasSize(10_000);
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
