package io.godwit.broker.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StatusFileTest {
    private static final String PID = Long.toString(ProcessHandle.current().pid());

    @TempDir
    private Path directory;

    private StatusFile file;

    @BeforeEach
    void make() {
        file = new StatusFile(directory);
    }

    @Test
    void beginWritesThePidAndWarningsFollow() throws IOException {
        file.begin();
        assertThat(directory.resolve("godwit.pid")).hasContent(PID);
        assertThat(lines()).containsExactly("pid=" + PID, "state=starting");

        file.warnings(List.of("one", "two\nlines"));
        assertThat(lines()).containsExactly("pid=" + PID, "state=starting", "warning=one", "warning=two lines");
    }

    @Test
    void pausedBalancersAreWarnedOfUntilTheyAreResumed() throws IOException {
        file.begin();
        file.pauses(List.of("inbox split"));
        assertThat(lines())
                .contains("warning=balancer paused by an operator, until godwit-admin resumes it: inbox split");

        file.pauses(List.of());
        assertThat(lines()).containsExactly("pid=" + PID, "state=starting");
    }

    @Test
    void whatAStartWaitsForIsToldAndGone() throws IOException {
        file.begin();
        file.waiting("the node at 10.0.0.1:8899");
        assertThat(lines()).contains("state=starting", "waiting=the node at 10.0.0.1:8899");

        file.waiting("");
        assertThat(lines()).containsExactly("pid=" + PID, "state=starting");
    }

    /** The file that the script wrote for the start is no longer needed. */
    @Test
    void beginTakesOverFromTheScript() throws IOException {
        Path starting = Files.writeString(directory.resolve("godwit.starting"), PID);
        file.stopping();
        assertThat(starting).exists();

        file.begin();
        assertThat(starting).doesNotExist();
    }

    @Test
    void theTimeOfTheLastChangeIsTheHeartbeat() throws IOException {
        file.alive();
        assertThat(directory).isEmptyDirectory();
        file.begin();
        Path status = directory.resolve("godwit.status");
        Files.setLastModifiedTime(status, FileTime.from(Instant.EPOCH));

        file.alive();
        assertThat(Files.getLastModifiedTime(status).toInstant())
                .isAfter(Instant.now().minusSeconds(60));
    }

    /** A second start at the same moment removes the file as a leftover. */
    @Test
    void aStatusThatWasRemovedIsWrittenAgain() throws IOException {
        file.begin();
        file.ready(List.of("tcp 127.0.0.1:1883"));
        Files.delete(directory.resolve("godwit.status"));

        file.alive();
        assertThat(lines()).contains("pid=" + PID, "state=ready", "listen=tcp 127.0.0.1:1883");
    }

    /** As on a full disk: no new file can be created, and the old one would show an earlier state. */
    @Test
    void aStatusThatCannotBeWrittenIsNotLeftAsItWas() throws IOException {
        file.begin();
        file.store("inbox", "SERVING");
        file.ready(List.of("tcp 127.0.0.1:1883"));
        Path inTheWay = Files.createDirectory(directory.resolve("godwit.status.next"));

        file.store("inbox", "REFUSING_WRITES disk nearly full");
        assertThat(lines())
                .startsWith("pid=" + PID, "state=degraded")
                .noneMatch(line -> line.contains("SERVING"))
                .anyMatch(line -> line.startsWith("warning=the status cannot be written: "));
        Path status = directory.resolve("godwit.status");
        Files.setLastModifiedTime(status, FileTime.from(Instant.EPOCH));
        Files.delete(status);
        file.alive();
        assertThat(status)
                .as("the heartbeat does not create an outdated status file")
                .doesNotExist();

        Files.delete(inTheWay);
        file.alive();
        assertThat(lines()).contains("state=degraded", "store=inbox REFUSING_WRITES disk nearly full");
        file.store("inbox", "SERVING");
        assertThat(lines()).contains("state=ready");
    }

    /** A start that found the directory in use must not write its state into the other broker's file. */
    @Test
    void nothingIsWrittenBeforeTheBegin() throws IOException {
        file.stopping();
        try (Stream<Path> files = Files.list(directory)) {
            assertThat(files).isEmpty();
        }
    }

    @Test
    void aStoreThatServesBeforeTheListenersDoesNotMakeItReady() throws IOException {
        file.begin();
        file.store("inbox", "SERVING");
        assertThat(lines()).contains("state=starting", "store=inbox SERVING");

        file.ready(List.of("tcp 127.0.0.1:1883"));
        assertThat(lines()).contains("state=ready", "listen=tcp 127.0.0.1:1883");
    }

    @Test
    void isDegradedWhileAnyStoreIs() throws IOException {
        file.begin();
        file.store("dist", "SERVING");
        file.store("inbox", "SERVING");
        file.ready(List.of());
        file.store("inbox", "READ_ONLY disk full");
        file.store("dist", "SERVING");
        assertThat(lines()).contains("state=degraded", "store=dist SERVING", "store=inbox READ_ONLY disk full");

        file.store("inbox", "SERVING");
        assertThat(lines()).contains("state=ready", "store=inbox SERVING");
    }

    @Test
    void aStoreThatFailedBeforeTheListenersOpenedIsToldAtOnce() throws IOException {
        file.begin();
        file.store("inbox", "FAILED");
        file.ready(List.of());

        assertThat(lines()).contains("state=degraded");
    }

    @Test
    void stoppingStaysWhateverTheStoresSay() throws IOException {
        file.begin();
        file.ready(List.of());
        file.stopping();
        file.store("inbox", "SERVING");

        assertThat(lines()).contains("state=stopping");
    }

    @Test
    void endLeavesNothing() throws IOException {
        file.begin();
        file.end();
        file.end();
        file.alive();
        file.store("inbox", "SERVING");

        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void whatAKilledProcessLeftIsReplaced() throws IOException {
        Files.writeString(directory.resolve("godwit.pid"), "999999999");
        Files.writeString(directory.resolve("godwit.status"), "pid=999999999\nstate=ready\nlisten=tcp 1.2.3.4:5\n");

        file.begin();

        assertThat(directory.resolve("godwit.pid")).hasContent(PID);
        assertThat(lines()).containsExactly("pid=" + PID, "state=starting");
    }

    private List<String> lines() throws IOException {
        return Files.readAllLines(directory.resolve("godwit.status"));
    }
}
