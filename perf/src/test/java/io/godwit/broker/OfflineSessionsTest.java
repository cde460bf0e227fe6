package io.godwit.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs {@link OfflineSessions} with few sessions. */
@Tag("full")
class OfflineSessionsTest {
    @Test
    void sessionsAreStoredAndGivenAMessageEach(@TempDir Path directory) throws Exception {
        OfflineSessions few = new OfflineSessions();
        few.most = 1_000;
        few.isQueued = true;

        assertThat(few.run(directory).table()).contains("| 1,000 |", "queued per second", "files MB");
    }
}
