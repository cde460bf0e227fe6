package io.godwit.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs {@link MillionSessions} with few sessions. */
@Tag("full")
class MillionSessionsTest {
    @Test
    void sessionsInMemoryAreConnectedPingedAndGivenWhatIsPublishedToThem(@TempDir Path directory) throws Exception {
        MillionSessions few = new MillionSessions();
        few.count = 3_000;
        few.seconds = 1;
        few.keepAliveSeconds = 1;
        few.rate = 200;

        Map<String, Object> result = few.run(directory);

        assertThat(result).containsEntry("lostConnections", 0L).containsEntry("published", 200L);
        assertThat(result.get("delivered")).isEqualTo(200L);
        assertThat((long) result.get("keepAlivePingsAnswered")).isGreaterThan(1_000);
        assertThat((long) result.get("heapBytesPerSession")).isBetween(500L, 20_000L);
    }
}
