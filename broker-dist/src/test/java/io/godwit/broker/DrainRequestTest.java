package io.godwit.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.testing.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DrainRequestTest {
    private static final long PID = ProcessHandle.current().pid();

    @TempDir
    private Path data;

    private final List<Duration> asked = new CopyOnWriteArrayList<>();

    private Path write(String content) throws IOException {
        return Files.writeString(data.resolve(DrainRequest.FILE), content);
    }

    private void look() {
        try (DrainRequest request = new DrainRequest(data, asked::add)) {
            request.look();
        }
    }

    @Test
    void aRequestIsTakenOnceAndRemoved() throws Exception {
        Path file = write(PID + " 30");
        try (DrainRequest request = new DrainRequest(data, asked::add)) {
            request.start();
            Await.until("taken", () -> !asked.isEmpty());
            request.look();
        }
        assertThat(asked).containsExactly(Duration.ofSeconds(30));
        assertThat(file).doesNotExist();
    }

    @Test
    void theBoundsAreOfTheScript() throws Exception {
        write(PID + " 0\n");
        look();
        write(PID + " 3600");
        look();
        assertThat(asked).containsExactly(Duration.ZERO, Duration.ofHours(1));
    }

    @Test
    void withoutARequestNothingIsDone() {
        look();
        assertThat(asked).isEmpty();
    }

    /** Otherwise it would be read again twice a second, with a line in the log each time. */
    @Test
    void bytesThatAreNoTextAreRemovedToo() throws Exception {
        Path file = Files.write(data.resolve(DrainRequest.FILE), new byte[] {(byte) 0xff, (byte) 0xfe, 0});
        look();
        assertThat(asked).isEmpty();
        assertThat(file).doesNotExist();
    }

    /** Such a file is left over, or was written by another program. */
    @ParameterizedTest
    @ValueSource(strings = {"", "PID", "PID ", "PID -1", "PID x", "PID 3601", "PID 99999", "PID 1 2", "1 30", "x 30"})
    void whatIsNoRequestForThisProcessIsRemovedAndNothingElse(String content) throws Exception {
        Path file = write(content.replace("PID", Long.toString(PID)));
        look();
        assertThat(asked).isEmpty();
        assertThat(file).doesNotExist();
    }
}
