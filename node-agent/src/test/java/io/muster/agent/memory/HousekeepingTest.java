package io.muster.agent.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.agent.http.Json;
import io.muster.agent.pace.StopSignal;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HousekeepingTest {

    @TempDir
    Path folder;

    @Test
    void itLooksAgainAfterALookThatFailed() throws Exception {
        CountDownLatch looks = new CountDownLatch(2);
        StopSignal stop = new StopSignal();
        Housekeeping housekeeping = new Housekeeping(ShardMemory.open(folder, 10, Json.mapper()), held -> {
            looks.countDown();
            throw new IllegalStateException("made for the test");
        });
        housekeeping.start(stop);
        assertThat(looks.await(30, TimeUnit.SECONDS)).isTrue();
        stop.raise();
    }
}
