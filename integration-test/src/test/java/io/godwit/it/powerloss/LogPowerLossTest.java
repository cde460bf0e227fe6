package io.godwit.it.powerloss;

import static org.assertj.core.api.Assertions.assertThat;

import com.alipay.sofa.jraft.entity.LogEntry;
import com.alipay.sofa.jraft.storage.LogStorage;
import io.godwit.it.powerloss.PowerCut.Loss;
import io.godwit.kv.disk.DamagedDataException;
import io.godwit.kv.disk.DataDirectory;
import io.godwit.kv.raft.log.LogSync;
import io.godwit.kv.raft.log.SharedRaftLog;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The shared log loses its power at random moments, again and again, and keeps what it had acknowledged. */
class LogPowerLossTest {
    private static final LogSync ENTRIES_ONLY = new LogSync(true, false);
    private static final LogSync VOTES_ONLY = new LogSync(false, true);

    @TempDir
    Path work;

    private final Map<String, Long> acknowledged = new HashMap<>();

    @BeforeAll
    static void needsLinuxAndACompiler() throws InterruptedException {
        PowerLoss.assumePossible();
    }

    @ParameterizedTest
    @EnumSource(Loss.class)
    void acknowledgedEntriesSurvive(Loss loss) throws Exception {
        assertThat(lostOver(2, "append", LogSync.ALL, loss, 7)).isEmpty();
        assertThat(acknowledged).hasSize(LogWriter.GROUPS);
    }

    @ParameterizedTest
    @EnumSource(Loss.class)
    void acknowledgedVotesSurvive(Loss loss) throws Exception {
        assertThat(lostOver(2, "vote", LogSync.ALL, loss, 8)).isEmpty();
        assertThat(acknowledged).hasSize(LogWriter.GROUPS);
    }

    @ParameterizedTest
    @EnumSource(Loss.class)
    @Tag("long")
    void acknowledgedEntriesSurviveManyLosses(Loss loss) throws Exception {
        assertThat(lostOver(40, "append", LogSync.ALL, loss, System.nanoTime())).isEmpty();
    }

    @Test
    void appendsWithoutSyncAreSeenToBeLost() throws Exception {
        assertThat(lostOver(2, "append", VOTES_ONLY, Loss.UNSYNCED_BYTES, 9)).isNotEmpty();
    }

    @Test
    void votesWithoutSyncAreSeenToBeLost() throws Exception {
        assertThat(lostOver(2, "vote", ENTRIES_ONLY, Loss.UNSYNCED_BYTES, 10)).isNotEmpty();
    }

    @Test
    void entriesAndVotesAreSyncedByTheirOwnSettings() throws Exception {
        assertThat(lostOver(1, "append", ENTRIES_ONLY, Loss.UNSYNCED_BYTES, 11)).isEmpty();
        acknowledged.clear();
        assertThat(lostOver(1, "vote", VOTES_ONLY, Loss.UNSYNCED_BYTES, 11)).isEmpty();
    }

    /** The fsync after the failed one would succeed again; had the log tried it, the writer would still be running. */
    @Test
    void nothingIsAcknowledgedAfterAFailedSync() throws Exception {
        Path data = work.resolve("data");
        PowerLoss power = PowerLoss.over(data);

        Process process = start(power.environment(), data, "append", LogSync.ALL);
        readAcknowledged(process, 300, power::failNextSync);

        assertThat(process.waitFor()).isZero();
        assertThat(Files.readString(work.resolve("errors"))).containsOnlyOnce("fault: raft log");
        power.cut(Loss.UNSYNCED_BYTES, new Random(12));
        assertThat(missing(data, "append")).isEmpty();
        assertThat(acknowledged).hasSize(LogWriter.GROUPS);
    }

    /** Runs, kills and cuts the writer; what was acknowledged and is not there, after the first run that lost any. */
    private List<String> lostOver(int runs, String what, LogSync sync, Loss loss, long seed) throws Exception {
        Random random = new Random(seed);
        Path data = work.resolve("data");
        PowerLoss power = PowerLoss.over(data);
        for (int run = 0; run < runs; run++) {
            runAndKill(power, data, what, sync, random);
            power.cut(loss, random);
            List<String> lost = missing(data, what);
            if (!lost.isEmpty()) {
                return lost;
            }
        }
        return List.of();
    }

    private void runAndKill(PowerLoss power, Path data, String what, LogSync sync, Random random) throws Exception {
        Process process = start(power.environment(), data, what, sync);
        // what it still acknowledges before it dies counts as well
        readAcknowledged(process, 50 + random.nextInt(1500), process.toHandle()::destroyForcibly);
        assertThat(process.waitFor())
                .as(Files.readString(work.resolve("errors")))
                .isEqualTo(137);
    }

    private Process start(Map<String, String> environment, Path data, String what, LogSync sync) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        classPath(),
                        LogWriter.class.getName(),
                        data.toRealPath().toString(),
                        what,
                        Boolean.toString(sync.entries()),
                        Boolean.toString(sync.votes()))
                .redirectError(work.resolve("errors").toFile());
        builder.environment().putAll(environment);
        return builder.start();
    }

    private interface Blow {
        void strike() throws IOException;
    }

    /** Reads to the end of what the process says; strikes after a number of lines. */
    private void readAcknowledged(Process process, int linesBefore, Blow blow) throws IOException {
        try (BufferedReader output =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.US_ASCII))) {
            String line = output.readLine();
            for (int i = 0; line != null; i++) {
                String[] words = line.split(" ", -1);
                acknowledged.merge(words[0], Long.valueOf(words[1]), Math::max);
                if (i == linesBefore) {
                    blow.strike();
                }
                line = output.readLine();
            }
        }
    }

    private static String classPath() {
        return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    }

    private List<String> missing(Path data, String what) throws IOException {
        List<String> missing = new ArrayList<>();
        try (DataDirectory directory = DataDirectory.open(data);
                SharedRaftLog log =
                        SharedRaftLog.open(directory.path().resolve("log"), (fault, cause) -> missing.add(fault))) {
            for (Map.Entry<String, Long> last : acknowledged.entrySet()) {
                if (what.equals("append")) {
                    missingEntries(log, last.getKey(), last.getValue(), missing);
                } else {
                    long term = LogWriter.meta(log, last.getKey(), LogSync.ALL).getTerm();
                    if (term < last.getValue()) {
                        missing.add("term " + last.getValue() + " of " + last.getKey() + ", it is " + term);
                    }
                }
            }
        } catch (DamagedDataException e) {
            missing.add(e.getMessage());
        }
        return missing;
    }

    private static void missingEntries(SharedRaftLog log, String group, long last, List<String> missing) {
        LogStorage storage = LogWriter.storage(log, group, LogSync.ALL);
        if (storage.getLastLogIndex() < last) {
            missing.add("entry " + last + " of " + group + ", it ends at " + storage.getLastLogIndex());
        }
        for (long index = storage.getFirstLogIndex(); index <= storage.getLastLogIndex(); index++) {
            LogEntry entry = storage.getEntry(index);
            if (entry == null || !entry.getReadOnlyData().equals(expected(group, index))) {
                missing.add("content of entry " + index + " of " + group);
            }
        }
    }

    private static ByteBuffer expected(String group, long index) {
        return ByteBuffer.wrap(LogWriter.content(group, index));
    }
}
