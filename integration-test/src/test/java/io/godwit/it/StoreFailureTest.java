package io.godwit.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.client.ClientConfig;
import io.godwit.it.client.TestClient;
import io.godwit.it.wire.Packet.Ack;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the broker does when its data directory is not as it left it, not its own, or nearly full: it says so, and never begins anew in silence. */
class StoreFailureTest {
    private static final Logger LOG = LoggerFactory.getLogger(StoreFailureTest.class);
    private static final int MESSAGES = 200;
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    /** One that the start refuses, one that is found when it is read. Those of all names are damaged in the long tests, and in base-kv's. */
    private static final Pattern TELLING = Pattern.compile("STORES|inbox/[^/]*/db/.*[.]sst");

    @TempDir
    private static Path original;

    @TempDir
    private Path directory;

    /** A session with messages and its data as a kill leaves it. */
    @BeforeAll
    static void makeData() throws Exception {
        BrokerProcess broker = new BrokerProcess(original).property("kv_snapshot_log_bytes", 64 << 10);
        broker.start();
        try {
            fillWithMessages(broker);
        } finally {
            broker.kill();
        }
    }

    @Test
    void aMissingRangeDirectoryIsNamed() throws Exception {
        BrokerProcess broker = brokerWithData("missing");
        Path range = firstRange(broker.data().resolve("inbox"));
        delete(range);
        assertRefused(broker, range.getFileName().toString());
    }

    @Test
    void aMissingLogIsNamed() throws Exception {
        BrokerProcess broker = brokerWithData("log");
        delete(broker.data().resolve("raft-log"));
        assertRefused(broker, "raft-log");
    }

    @Test
    void dataWithoutItsFormatIsNotTakenForAnEmptyDirectory() throws Exception {
        BrokerProcess broker = brokerWithData("format");
        Files.delete(broker.data().resolve("FORMAT"));
        assertRefused(broker, "FORMAT");
    }

    @Test
    void dataOfANewerFormatIsRefused() throws Exception {
        BrokerProcess broker = brokerWithData("newer");
        Path file = broker.data().resolve("FORMAT");
        String text = Files.readString(file).replace("format=1", "format=2");
        String sealed = text.substring(0, text.indexOf("crc32c="));
        CRC32C crc = new CRC32C();
        crc.update(sealed.getBytes(StandardCharsets.UTF_8));
        Files.writeString(file, sealed + String.format("crc32c=%08x%n", crc.getValue()));
        assertRefused(broker, "format");
    }

    @Test
    void aFlippedByteIsNeverServed() throws Exception {
        List<String> outcomes = flipOneByteIn(TELLING);
        assertThat(outcomes).hasSize(2).anyMatch(outcome -> outcome.endsWith("detected"));
        assertThat(outcomes).anyMatch(outcome -> outcome.endsWith("refused"));
    }

    @Test
    @Tag("long")
    void aFlippedByteInAnyKindOfFileIsNeverServed() throws Exception {
        assertThat(flipOneByteIn(Pattern.compile(".*"))).noneMatch(outcome -> outcome.contains("BAD"));
    }

    /** With a byte flipped the broker refuses to start and names the file, or finds the damage when it reads it, or had no need of it. */
    private List<String> flipOneByteIn(Pattern names) throws Exception {
        Path data = original.resolve("data");
        List<String> outcomes = new ArrayList<>();
        for (Path file : oneOfEachKind(data)) {
            String name = data.relativize(file).toString();
            if (Files.size(file) == 0 || !names.matcher(name).matches()) {
                continue;
            }
            BrokerProcess broker = brokerWithData("flipped");
            Path damaged = broker.data().resolve(name);
            flipMiddle(damaged);
            try (broker) {
                String outcome = broker.tryStart() != 0 ? refusalNaming(broker, damaged) : servedOrDetected(broker);
                outcomes.add(name + ": " + outcome);
            }
            delete(directory.resolve("flipped"));
        }
        LOG.info("a byte flipped in the middle of\n{}", String.join("\n", outcomes));
        return outcomes;
    }

    @Test
    void aSecondProcessOnTheSameDataIsRefused() throws Exception {
        try (BrokerProcess first = new BrokerProcess(directory.resolve("first"))) {
            first.start();
            BrokerProcess second = new BrokerProcess(directory.resolve("second")).onDataOf(first);
            assertThat(second.tryStart()).isNotZero();
            assertThat(second.said()).contains("already running");

            Path pid = first.data().resolve("godwit.pid");
            Path aside = directory.resolve("aside");
            Files.move(pid, aside); // past the script's check, to the lock
            assertThat(second.tryStart()).isNotZero();
            assertThat(second.said()).contains("LOCK");
            Files.move(aside, pid);
            assertThat(drained(first, "nobody")).isZero();
        }
    }

    /** The process goes at once, and properly: what it does last is to give the data directory back. */
    @Test
    void aSignalDuringRecoveryEndsTheStartAndLosesNothing() throws Exception {
        try (BrokerProcess broker = brokerWithData("signalled")) {
            for (int millis : new int[] {0, 100}) {
                broker.launch();
                ProcessHandle process = broker.launched();
                assertThat(process).as(broker.said()).isNotNull();
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
                assertThat(process.destroy()).isTrue();
                assertThat(broker.startEnded(PATIENCE)).as(broker.said()).isOne();
                assertThat(process.isAlive()).isFalse();
                assertThat(broker.data().resolve("godwit.pid")).doesNotExist();
                assertThat(broker.said()).doesNotContain(" ERROR ");
            }
            broker.start();
            assertThat(drained(broker, "kept")).isEqualTo(MESSAGES);
        }
    }

    @Test
    void aNearlyFullDiskRefusesWhatAddsGoesOnWithTheRestAndRecovers() throws Exception {
        Path mount = Files.createDirectories(directory.resolve("small"));
        assumeTrue(
                exitCode("mount", "-t", "tmpfs", "-o", "size=2g", "tmpfs", mount.toString()) == 0,
                "no right to mount a small disk");
        try (BrokerProcess broker = new BrokerProcess(mount).property("kv_disk_low_water_bytes", 256 << 20)) {
            broker.start();
            fillWithMessages(broker);
            BlockingQueue<Runnable> withheld = new LinkedBlockingQueue<>();
            ClientConfig exactly = ClientConfig.of(broker.address(), "exact", 5);
            try (TestClient writer = new TestClient(ClientConfig.of(broker.address(), "writer", 5));
                    TestClient exact = new TestClient(exactly.withAcks(withheld::add))) {
                writer.connect();
                exact.connect();
                exact.subscribe("x", 2);
                writer.publish("x", "once", 2).get(20, TimeUnit.SECONDS);
                assertThat(exact.next(PATIENCE)).isNotNull();

                leaveFree(mount, 200L << 20);
                int queued = MESSAGES + publishedUntil(writer, true);
                assertThat(broker.status()).contains("READ_ONLY");
                assertThat(codeOf(writer.publish("x", "refused", 2))).isGreaterThanOrEqualTo(0x80);
                assertThat(exact.subscribe("new", 1)).isGreaterThanOrEqualTo(0x80);
                acknowledge(withheld); // PUBREC
                acknowledge(withheld); // PUBCOMP: the PUBREL was let through
                assertThat(drained(broker, "kept")).isEqualTo(queued);
                assertThat(drained(broker, "kept")).isZero();

                broker.kill();
                assertThat(broker.tryStart()).isEqualTo(4); // there is no more room than before
                assertThat(drained(broker, "kept")).isZero();
                assertThat(drained(broker, "exact")).isZero();
                writer.connect();
                assertThat(publishedUntil(writer, true)).isZero();

                leaveFree(mount, 1L << 30);
                assertThat(publishedUntil(writer, false)).isOne();
                assertThat(broker.status()).doesNotContain("READ_ONLY");
                assertThat(drained(broker, "kept")).isOne();
            }
        } finally {
            exitCode("umount", "-l", mount.toString());
        }
    }

    /** Makes the small disk as large as what is on it and so much more. */
    private static void leaveFree(Path mount, long bytes) throws Exception {
        FileStore disk = Files.getFileStore(mount);
        long size = disk.getTotalSpace() - disk.getUsableSpace() + bytes;
        assertThat(exitCode("mount", "-o", "remount,size=" + size, mount.toString()))
                .isZero();
    }

    private static void acknowledge(BlockingQueue<Runnable> withheld) throws InterruptedException {
        Runnable acknowledgement = withheld.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertThat(acknowledgement).isNotNull();
        acknowledgement.run();
    }

    /** Publishes to the persistent session until the broker refuses, or until it accepts; returns how many it has accepted. */
    private static int publishedUntil(TestClient client, boolean refused) throws Exception {
        long giveUp = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        for (int accepted = 0; ; ) {
            boolean isRefused = codeOf(client.publish("t", "more", 1)) >= 0x80;
            accepted += isRefused ? 0 : 1;
            if (isRefused == refused) {
                return accepted;
            }
            assertThat(System.nanoTime())
                    .as("deadline; waiting for refused=%s", refused)
                    .isLessThan(giveUp);
            LockSupport.parkNanos(100_000_000);
        }
    }

    private static int codeOf(CompletableFuture<Ack> published) throws Exception {
        return published.get(20, TimeUnit.SECONDS).code();
    }

    /** Not running, on a copy of the data. */
    private BrokerProcess brokerWithData(String name) throws IOException {
        Path home = directory.resolve(name);
        copy(original.resolve("data"), home.resolve("data"));
        return new BrokerProcess(home);
    }

    /** A session with {@link #MESSAGES} queued, and a retained message. */
    private static void fillWithMessages(BrokerProcess broker) throws Exception {
        try (TestClient subscriber = new TestClient(ClientConfig.of(broker.address(), "kept", 5));
                TestClient publisher = new TestClient(ClientConfig.of(broker.address(), "filler", 5))) {
            subscriber.connect();
            subscriber.subscribe("t", 1);
            subscriber.disconnect();
            publisher.connect();
            for (int i = 0; i < MESSAGES; i++) {
                publisher.publish("t", "message " + i + " ".repeat(1_000), 1).get(10, TimeUnit.SECONDS);
            }
        }
    }

    /** How many messages the session yields; -1 when the broker does not have it. */
    private static int drained(BrokerProcess broker, String clientId) throws IOException, InterruptedException {
        try (TestClient subscriber = new TestClient(ClientConfig.of(broker.address(), clientId, 5))) {
            if (!subscriber.connect().sessionPresent() && !clientId.equals("nobody")) {
                return -1;
            }
            int count = 0;
            while (subscriber.next(Duration.ofMillis(500)) != null) {
                count++;
            }
            return count;
        }
    }

    private static String refusalNaming(BrokerProcess broker, Path file) throws IOException {
        String said = broker.said();
        boolean named = said.contains(file.getFileName().toString());
        return named ? "refused" : "BAD: refused without naming the file: " + said;
    }

    private static String servedOrDetected(BrokerProcess broker) throws IOException, InterruptedException {
        int count;
        try {
            count = drained(broker, "kept");
        } catch (IOException e) {
            return "not served: " + e.getMessage();
        }
        if (count == MESSAGES) {
            return "not needed";
        }
        String status = broker.status();
        return status.contains("FAILED") ? "detected" : "BAD: " + count + " messages, and " + status;
    }

    private static void assertRefused(BrokerProcess broker, String named) throws IOException {
        try (broker) {
            assertThat(broker.tryStart()).as("exit code of start").isNotZero();
            assertThat(broker.said()).contains(named);
        }
    }

    private static Path firstRange(Path store) throws IOException {
        try (Stream<Path> ranges = Files.list(store)) {
            return ranges.filter(Files::isDirectory).sorted().findFirst().orElseThrow();
        }
    }

    /** The kinds are told apart by directory and by name without its digits. */
    private static Iterable<Path> oneOfEachKind(Path data) throws IOException {
        Map<String, Path> kinds = new HashMap<>();
        try (Stream<Path> files = Files.walk(data)) {
            files.filter(Files::isRegularFile).sorted().forEach(file -> {
                String name = data.relativize(file).toString();
                String kind = name.replaceAll("[0-9a-f]{4,}|[0-9]+", "N").replaceAll("^(dist|inbox|retain)/", "STORE/");
                boolean ours = !name.endsWith("LOCK") && !name.endsWith("LOG") && !name.startsWith("godwit.");
                if (ours && (name.startsWith("inbox") || !name.startsWith("dist") && !name.startsWith("retain"))) {
                    kinds.put(kind, file);
                }
            });
        }
        return kinds.values();
    }

    private static void flipMiddle(Path file) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        bytes[bytes.length / 2] ^= 0x10;
        Files.write(file, bytes);
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                Path target = to.resolve(from.relativize(file).toString());
                if (Files.isDirectory(file)) {
                    Files.createDirectories(target);
                } else {
                    Files.copy(file, target);
                }
            }
        }
    }

    private static void delete(Path tree) throws IOException {
        try (Stream<Path> files = Files.walk(tree)) {
            for (Path file : files.sorted((a, b) -> b.compareTo(a)).toList()) {
                Files.delete(file);
            }
        }
    }

    private static int exitCode(String... command) throws Exception {
        try {
            return new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .waitFor();
        } catch (IOException e) {
            return -1; // no such program
        }
    }
}
