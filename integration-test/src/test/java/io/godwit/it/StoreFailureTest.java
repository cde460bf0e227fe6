package io.godwit.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.client.ClientConfig;
import io.godwit.it.client.TestClient;
import io.godwit.it.wire.Packet;
import io.godwit.it.wire.Packet.Ack;
import io.godwit.it.wire.Properties;
import io.godwit.testing.Await;
import io.godwit.testing.Pace;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the broker does when its data directory is not as it left it, or not its own: it says so, and never begins anew
 * in silence.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class StoreFailureTest extends StoreFailureFixture {
    private static final Logger LOG = LoggerFactory.getLogger(StoreFailureTest.class);
    private static final int RETAINED = 100;
    private static final int ROUTES = 300;

    /**
     * One that the start refuses, one that is found when it is read. Those of all names are damaged in the long tests,
     * and in base-kv's.
     */
    private static final Pattern TELLING = Pattern.compile("STORES|inbox/[^/]*/db/.*[.]sst");

    /** What becomes of a broker one of whose files has a byte flipped. */
    private enum Outcome {
        /** It does not start, names the file and has changed nothing: with the byte put right it serves all it had. */
        REFUSED,
        /** It serves what was before the damage, then the store stops, names the file and takes no more writes. */
        DETECTED,
        /** It had no need of the file: it serves all. */
        UNHARMED
    }

    /** By the name of a file; the first that matches. Anything else than what is allowed here is a loss in silence. */
    private static final Map<Pattern, Set<Outcome>> ALLOWED = new LinkedHashMap<>();

    static {
        allow("FORMAT|STORES|raft-log[.]synced", Outcome.REFUSED);
        allow(".*/(OPTIONS-\\d+|IDENTITY)", Outcome.UNHARMED); // written for people
        allow("reserve", Outcome.UNHARMED); // nobody reads it: it only takes room on the disk
        allow("raft-log/(CURRENT|MANIFEST-\\d+|\\d+[.]log|\\d+[.]sst)", Outcome.REFUSED);
        allow("\\w+/range-\\d+/db/(CURRENT|MANIFEST-\\d+)", Outcome.REFUSED);
        allow("\\w+/range-\\d+/db/\\d+[.]sst", Outcome.REFUSED, Outcome.DETECTED);
        allow("\\w+/range-\\d+/snapshot/snapshot_\\d+/(SEAL|__raft_snapshot_meta)", Outcome.REFUSED);
        // read when the database is lost, and checked then: DamagedFilesTest of base-kv
        allow("\\w+/range-\\d+/snapshot/snapshot_\\d+/db/.*", Outcome.UNHARMED);
    }

    private Path original;

    private static void allow(String names, Outcome first, Outcome... more) {
        ALLOWED.put(Pattern.compile(names), EnumSet.of(first, more));
    }

    /**
     * A session with messages, one with many routes, retained messages, and the data of all that as a kill leaves it.
     */
    @BeforeAll
    void makeData(@TempDir Path home) throws Exception {
        original = home;
        BrokerProcess broker = broker(original).property("kv_snapshot_log_bytes", 64 << 10);
        broker.start();
        try {
            fillWithMessages(broker);
            fillOtherStores(broker);
            Path reserve = broker.data().resolve("reserve"); // made within seconds; then it is one of the files
            Await.until("the reserve on the disk", PATIENCE, () -> Files.exists(reserve));
        } finally {
            broker.kill();
        }
    }

    @Test
    void aMissingRangeDirectoryIsNamed() throws Exception {
        BrokerProcess broker = brokerWithData("missing");
        Path range = DataFiles.firstRange(broker.data().resolve("inbox"));
        DataFiles.delete(range);
        assertRefused(broker, range.getFileName().toString());
    }

    @Test
    void aMissingLogIsNamed() throws Exception {
        BrokerProcess broker = brokerWithData("log");
        DataFiles.delete(broker.data().resolve("raft-log"));
        assertRefused(broker, "raft-log");
    }

    @Test
    void dataWithoutItsFormatIsNotTakenForAnEmptyDirectory() throws Exception {
        BrokerProcess broker = brokerWithData("format");
        Files.delete(broker.data().resolve("FORMAT"));
        assertRefused(broker, "FORMAT");
    }

    /** And nothing is changed: with its own FORMAT again, the data is served by this release. */
    @Test
    void dataOfANewerFormatIsRefused() throws Exception {
        BrokerProcess broker = brokerWithData("newer");
        Path file = broker.data().resolve("FORMAT");
        String text = Files.readString(file);
        String newer = text.substring(0, text.indexOf("crc32c=")).replace("format=1", "format=2");
        CRC32C crc = new CRC32C();
        crc.update(newer.getBytes(StandardCharsets.UTF_8));
        newer += String.format("crc32c=%08x%n", crc.getValue());
        Files.writeString(file, newer);
        assertRefused(broker, file + ": format 2 is of a newer release");
        assertThat(broker.said()).contains("Start the release that wrote it, or restore a backup");
        assertThat(file).hasContent(newer);

        Files.writeString(file, text);
        try (broker) {
            broker.start();
            assertThat(served(broker, file)).isEqualTo(Outcome.UNHARMED);
        }
    }

    @Test
    void aFlippedByteIsNeverServed() throws Exception {
        // a table may be read at start already: then the start is refused
        assertThat(flipOneByteIn(TELLING).values())
                .hasSize(2)
                .contains(Outcome.REFUSED)
                .doesNotContain(Outcome.UNHARMED);
    }

    @Test
    @Tag("long")
    void aFlippedByteInAnyKindOfFileIsNeverServed() throws Exception {
        Map<String, Outcome> outcomes = flipOneByteIn(Pattern.compile(".*"));
        for (String store : List.of("dist", "inbox", "retain")) {
            assertThat(outcomes.keySet())
                    .as("tables of %s", store)
                    .anyMatch(file -> file.matches(store + ".*/db/\\d+[.]sst"));
        }
    }

    /** In the middle of one file of each kind. */
    private Map<String, Outcome> flipOneByteIn(Pattern names) throws Exception {
        Path data = original.resolve("data");
        Map<String, Outcome> outcomes = new TreeMap<>();
        for (Path file : DataFiles.oneOfEachKind(data)) {
            String name = data.relativize(file).toString();
            if (Files.size(file) > 0 && names.matcher(name).matches()) {
                outcomes.put(name, outcomeOfFlipping(name));
            }
        }
        LOG.info("a byte flipped in the middle of {}", outcomes);
        return outcomes;
    }

    private Outcome outcomeOfFlipping(String name) throws Exception {
        Set<Outcome> allowed = ALLOWED.entrySet().stream()
                .filter(entry -> entry.getKey().matcher(name).matches())
                .map(Map.Entry::getValue)
                .findFirst()
                .orElseThrow(() -> new AssertionError("nothing is said of " + name));
        Path damaged;
        Outcome outcome;
        try (BrokerProcess broker = brokerWithData("flipped")) {
            damaged = broker.data().resolve(name);
            DataFiles.flipMiddle(damaged);
            int code = broker.tryStart();
            assertThat(code).as("start with %s: %s", name, broker.said()).isIn(0, 1, 4);
            outcome = code == 1 ? refused(broker, damaged) : served(broker, damaged);
        }
        DataFiles.delete(directory.resolve("flipped"));
        assertThat(outcome).as(name).isIn(allowed);
        return outcome;
    }

    private static Outcome refused(BrokerProcess broker, Path damaged) throws Exception {
        assertThat(broker.said()).contains(damaged.getFileName().toString());
        assertThat(broker.handle()).as("the process has ended").isNull();
        DataFiles.flipMiddle(damaged);
        broker.start();
        assertThat(broker.status()).doesNotContain("FAILED");
        assertThat(served(broker, damaged)).isEqualTo(Outcome.UNHARMED);
        return Outcome.REFUSED;
    }

    private static Outcome served(BrokerProcess broker, Path damaged) throws Exception {
        boolean isWhole = isQueueServed(broker) && areRetainedServed(broker) && areRoutesServed(broker);
        if (isWhole && !broker.status().contains("FAILED")) {
            return Outcome.UNHARMED;
        }
        // a client may hear of it a moment before the status tells
        Await.until("the status to tell", PATIENCE, () -> broker.status().contains("FAILED"));
        String status = broker.status();
        assertThat(status).contains(damaged.getFileName().toString());
        if (status.contains("store inbox FAILED")) {
            try (TestClient late = new TestClient(ClientConfig.of(broker.address(), "late", 5))) {
                assertThat(isConnected(late) && codeUnlessClosed(late, "t") < 0x80)
                        .as("a write after the failure must not be acknowledged")
                        .isFalse();
            }
        }
        return Outcome.DETECTED;
    }

    /** Whether the session has all its messages; what comes until a store stops is right in any case. */
    private static boolean isQueueServed(BrokerProcess broker) throws Exception {
        try (TestClient subscriber = new TestClient(ClientConfig.of(broker.address(), "kept", 5))) {
            if (!isConnected(subscriber)) {
                return false;
            }
            for (int i = 0; i < MESSAGES; i++) {
                Packet.Publish message = nextUnlessFailed(subscriber, broker);
                if (message == null) {
                    return false;
                }
                assertThat(text(message)).isEqualTo(filled("message " + i));
            }
            return true;
        }
    }

    private static boolean areRetainedServed(BrokerProcess broker) throws Exception {
        ClientConfig config = ClientConfig.of(broker.address(), "reader", 5).withCleanSession();
        try (TestClient reader = new TestClient(config)) {
            if (!isConnected(reader)) {
                return false;
            }
            reader.subscribe("r/#", 1);
            Map<String, String> found = new HashMap<>();
            while (found.size() < RETAINED) {
                Packet.Publish message = nextUnlessFailed(reader, broker);
                if (message == null) {
                    return false;
                }
                assertThat(text(message)).isEqualTo(filled("retained " + message.topic()));
                assertThat(found.put(message.topic(), "")).isNull();
            }
            return true;
        }
    }

    private static boolean areRoutesServed(BrokerProcess broker) throws Exception {
        ClientConfig config = ClientConfig.of(broker.address(), "prober", 5).withCleanSession();
        try (TestClient prober = new TestClient(config);
                TestClient router = new TestClient(ClientConfig.of(broker.address(), "router", 5))) {
            if (!isConnected(prober) || !isConnected(router)) {
                return false;
            }
            for (int i = 0; i < ROUTES; i++) {
                int code = codeUnlessClosed(prober, route(i));
                if (code >= 0x80) {
                    return false;
                }
                assertThat(code).as("PUBACK for route %d", i).isZero();
                Packet.Publish message = nextUnlessFailed(router, broker);
                if (message == null) {
                    return false;
                }
                assertThat(message.topic()).isEqualTo(route(i));
            }
            return true;
        }
    }

    /** False when it is refused because a store has failed. */
    private static boolean isConnected(TestClient client) {
        try {
            return client.connect().code() == 0;
        } catch (IOException e) {
            return false;
        }
    }

    /** The code of the answer to a publish of QoS 1; 0x80 when the connection is closed instead. */
    private static int codeUnlessClosed(TestClient client, String topic) throws Exception {
        CompletableFuture<@Nullable Ack> answer = client.publish(topic, "probe", 1);
        Await.until("an answer", PATIENCE, () -> answer.isDone() || !client.isOpen());
        Ack ack = answer.getNow(null);
        return ack == null ? 0x80 : ack.code();
    }

    /** Null when a store has failed and nothing more comes. */
    private static Packet.@Nullable Publish nextUnlessFailed(TestClient client, BrokerProcess broker) throws Exception {
        long giveUp = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            Packet.Publish message = client.next(Duration.ofSeconds(1));
            if (message != null || broker.status().contains("FAILED")) {
                return message;
            }
            assertThat(System.nanoTime()).as("deadline for a message").isLessThan(giveUp);
        }
    }

    @Test
    void aSecondProcessOnTheSameDataIsRefused() throws Exception {
        try (BrokerProcess first = broker(directory.resolve("first"))) {
            first.start();
            BrokerProcess second = broker(directory.resolve("second")).onDataOf(first);
            assertThat(second.tryStart()).isNotZero();
            assertThat(second.said()).contains("already running");

            List<Path> marks =
                    List.of(first.data().resolve("godwit.pid"), first.data().resolve("godwit.status"));
            for (Path mark : marks) {
                Files.move(mark, directory.resolve(mark.getFileName())); // past the script's check, to the lock
            }
            assertThat(second.tryStart()).isNotZero();
            assertThat(second.said()).contains("LOCK");
            for (Path mark : marks) {
                Files.move(directory.resolve(mark.getFileName()), mark, StandardCopyOption.REPLACE_EXISTING);
            }
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
                Pace.passMillis(millis);
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

    /** The log of a hundred megabytes is replayed at each start, until a snapshot has been taken. */
    @Test
    @Tag("long")
    void aSignalAtAnyMomentOfALongRecoveryLosesNothing() throws Exception {
        int messages = 100;
        String payload = "x".repeat(1 << 20);
        try (BrokerProcess broker =
                broker(directory.resolve("long")).property("kv_snapshot_log_bytes", Long.toString(1L << 40))) {
            broker.start();
            try (TestClient subscriber = new TestClient(ClientConfig.of(broker.address(), "kept", 5));
                    TestClient publisher = new TestClient(ClientConfig.of(broker.address(), "filler", 5))) {
                subscriber.connect();
                subscriber.subscribe("t", 1);
                subscriber.disconnect();
                publisher.connect();
                for (int i = 0; i < messages; i++) {
                    publisher.publish("t", i + payload, 1).get(20, TimeUnit.SECONDS);
                }
            }
            int interrupted = 0;
            for (int millis = 0; millis < 2_000; millis += 100) {
                broker.kill();
                broker.launch();
                ProcessHandle process = broker.launched();
                assertThat(process).as(broker.said()).isNotNull();
                Pace.passMillis(millis);
                assertThat(process.destroy()).isTrue();
                interrupted += broker.startEnded(PATIENCE) == 1 ? 1 : 0;
                process.onExit().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
                assertThat(broker.data().resolve("godwit.pid")).doesNotExist();
                assertThat(broker.said()).doesNotContain(" ERROR ");
            }
            LOG.info("{} of 20 starts ended by the signal", interrupted);
            assertThat(interrupted).isGreaterThan(5);
            broker.start();
            try (TestClient subscriber = new TestClient(ClientConfig.of(broker.address(), "kept", 5))) {
                assertThat(subscriber.connect().sessionPresent()).isTrue();
                for (int i = 0; i < messages; i++) {
                    assertThat(text(subscriber.next(PATIENCE))).isEqualTo(i + payload);
                }
            }
        }
    }

    /** Not running, on a copy of the data. */
    private BrokerProcess brokerWithData(String name) throws IOException {
        Path home = directory.resolve(name);
        DataFiles.copy(original.resolve("data"), home.resolve("data"));
        return broker(home);
    }

    /** So much of it that the stores have tables. */
    private static void fillOtherStores(BrokerProcess broker) throws Exception {
        try (TestClient router = new TestClient(ClientConfig.of(broker.address(), "router", 5));
                TestClient publisher = new TestClient(ClientConfig.of(broker.address(), "filler", 5))) {
            router.connect();
            List<Packet.Request> filters = IntStream.range(0, ROUTES)
                    .mapToObj(i -> new Packet.Request(route(i), 1))
                    .toList();
            assertThat(router.subscribe(filters, Properties.NONE)).containsOnly(1);
            router.disconnect();
            publisher.connect();
            for (int i = 0; i < RETAINED; i++) {
                byte[] payload = filled("retained r/" + i).getBytes(StandardCharsets.UTF_8);
                var stored = publisher.publish("r/" + i, payload, 1, true, Properties.NONE);
                publisher.flush();
                stored.get(20, TimeUnit.SECONDS);
            }
        }
    }

    private static String route(int number) {
        return "route/" + number + "/" + "x".repeat(300);
    }

    private static void assertRefused(BrokerProcess broker, String named) throws IOException {
        try (broker) {
            assertThat(broker.tryStart()).as("exit code of start").isNotZero();
            assertThat(broker.said()).contains(named);
        }
    }

    private static String text(Packet.Publish message) {
        return new String(message.payload(), StandardCharsets.UTF_8);
    }
}
