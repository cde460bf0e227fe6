package io.godwit.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.broker.Ports;
import io.godwit.it.client.ClientConfig;
import io.godwit.it.client.TestClient;
import io.godwit.it.wire.Packet;
import io.godwit.it.wire.Properties;
import io.godwit.testing.Await;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Data directories that earlier builds have left, in resources: each opens, and all that it holds is served.
 *
 * <p>Each is that of a broker that was stopped after the first half of what it was given and killed after the second:
 * there are databases with tables, a snapshot, and a log to replay. When a format changes, {@code
 * -Dgodwit.data.write=DIRECTORY} has {@link #dataOfThisBuildOpens} put those of this build there, which are then added
 * under a name of their own. Those that are there stay, for as long as this release is to open them; a change after
 * which one does not open raises the number in {@code FORMAT}, by which the earlier data is refused.
 */
class RecordedDataTest {
    private static final String WRITE = "godwit.data.write";
    private static final String ALONE = "format-1-alone";
    private static final String CLUSTER = "format-1-cluster";
    /** Its routes have the numbers of their last writes. */
    private static final String CLUSTER_WITH_NUMBERS = "format-1-cluster-numbers";
    /** What the names of data with records of operators end with. */
    private static final String RECORDS = "-records";

    private static final String ALONE_WITH_RECORDS = ALONE + RECORDS;
    private static final String CLUSTER_WITH_RECORDS = CLUSTER + RECORDS;

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    /** So small is a resource at most. */
    private static final int MAX_BYTES = 256 << 10;

    private static final int MESSAGES = 40;
    private static final int RETAINED = 10;
    private static final int ROUTES = 20;
    private static final int VOTERS = 5;
    private static final String BANNED = "banned";
    private static final String REASON = "recorded";
    private static final int CODE_BANNED = 0x8A;

    @TempDir
    private Path directory;

    @ParameterizedTest
    @Execution(ExecutionMode.CONCURRENT) // of the class, it would run beside other classes
    @ValueSource(strings = {ALONE, ALONE_WITH_RECORDS, CLUSTER, CLUSTER_WITH_NUMBERS, CLUSTER_WITH_RECORDS})
    void dataOfEarlierBuildsOpens(String name) throws Exception {
        BrokerProcess broker = broker(name, false);
        try (InputStream zip = RecordedDataTest.class.getResourceAsStream("/data/" + name + ".zip")) {
            assertThat(zip).as(name).isNotNull();
            DataFiles.unzip(zip, broker.data());
        }
        assertServesAll(broker, name.startsWith(CLUSTER), name.endsWith(RECORDS));
    }

    /** And is small enough to be kept. */
    @ParameterizedTest
    @Tag("full")
    @Execution(ExecutionMode.CONCURRENT)
    @ValueSource(strings = {ALONE_WITH_RECORDS, CLUSTER_WITH_RECORDS})
    void dataOfThisBuildOpens(String name) throws Exception {
        boolean isCluster = name.startsWith(CLUSTER);
        BrokerProcess broker = broker(name, true);
        record(broker, isCluster);
        byte[] zip = DataFiles.zip(broker.data());
        assertThat(zip.length).as("bytes of %s", name).isLessThan(MAX_BYTES);
        String to = System.getProperty(WRITE);
        if (to != null) {
            Files.write(Path.of(to).resolve(name + ".zip"), zip);
        }
        BrokerProcess again = broker(name + "-again", false);
        DataFiles.unzip(new ByteArrayInputStream(zip), again.data());
        assertServesAll(again, isCluster, true);
    }

    private BrokerProcess broker(String name, boolean isNew) throws IOException {
        BrokerProcess broker = new BrokerProcess(directory.resolve(name))
                .setting("apiServerConfig", "{port: " + Ports.free().getPort() + "}")
                .property("kv_snapshot_log_bytes", 64 << 10)
                .property("inbox_store_initial_ranges", 1);
        if (name.startsWith(CLUSTER)) {
            int port = Ports.free().getPort();
            broker.setting(
                    "clusterConfig",
                    "{env: recorded, host: 127.0.0.1, port: " + port + ", rpcPort: "
                            + Ports.free().getPort() + ", seedEndpoints: \"127.0.0.1:" + port + "\", foundAlone: "
                            + isNew + "}");
        }
        return broker;
    }

    // --- what is recorded

    private void record(BrokerProcess broker, boolean isCluster) throws Exception {
        try (broker) {
            broker.start();
            if (isCluster) {
                assertThat(broker.admin(directory.resolve("admin.out"), "replicas", "inbox", Integer.toString(VOTERS)))
                        .isZero();
            }
            subscribe(broker);
            ban(broker);
            publish(broker, 0, MESSAGES / 2);
            broker.stop();
            broker.start();
            publish(broker, MESSAGES / 2, MESSAGES);
            retain(broker);
            receiveUnanswered(broker);
            broker.kill();
        }
    }

    private static void subscribe(BrokerProcess broker) throws Exception {
        for (String clientId : List.of("kept", "unanswered", "router", "member")) {
            try (TestClient client = new TestClient(stored(broker, clientId))) {
                client.connect();
                List<Packet.Request> filters = switch (clientId) {
                    case "kept" -> List.of(new Packet.Request("t/+", 2));
                    case "unanswered" -> List.of(new Packet.Request("u", 2));
                    case "member" -> List.of(new Packet.Request("$share/group/s", 1));
                    default ->
                        IntStream.range(0, ROUTES)
                                .mapToObj(i -> new Packet.Request(route(i), 1))
                                .toList();
                };
                assertThat(client.subscribe(filters, Properties.NONE)).allMatch(code -> code <= 2);
                client.disconnect();
            }
        }
    }

    /** Refused until the node has announced, as a member of its cluster, that it reads records of operators. */
    private void ban(BrokerProcess broker) throws IOException {
        Path out = directory.resolve("admin.out");
        Await looks = Await.atMost(PATIENCE);
        while (broker.admin(out, "ban", "--client", BANNED, "--reason", REASON) != 0) {
            String said = Files.readString(out);
            looks.again(() -> "the ban: " + said);
        }
    }

    /** Of either QoS. */
    private static void publish(BrokerProcess broker, int from, int to) throws Exception {
        try (TestClient publisher = new TestClient(stored(broker, "publisher"))) {
            publisher.connect();
            for (int i = from; i < to; i++) {
                publisher.publish("t/" + i, filled("message " + i), 1 + i % 2).get(20, TimeUnit.SECONDS);
            }
        }
    }

    private static void retain(BrokerProcess broker) throws Exception {
        ClientConfig config = ClientConfig.of(broker.address(), "retainer", 5).withCleanSession();
        try (TestClient publisher = new TestClient(config)) {
            publisher.connect();
            for (int i = 0; i < RETAINED; i++) {
                byte[] payload = filled("retained r/" + i).getBytes(StandardCharsets.UTF_8);
                var stored = publisher.publish("r/" + i, payload, 1, true, Properties.NONE.plus(property(i)));
                publisher.flush();
                stored.get(20, TimeUnit.SECONDS);
            }
        }
    }

    private static void receiveUnanswered(BrokerProcess broker) throws Exception {
        try (TestClient client = new TestClient(stored(broker, "unanswered").withAcks(acknowledge -> {}));
                TestClient publisher = new TestClient(stored(broker, "publisher"))) {
            client.connect();
            publisher.connect();
            publisher.publish("u", "in flight", 2).get(20, TimeUnit.SECONDS);
            assertThat(client.next(PATIENCE)).isNotNull();
        }
    }

    // --- what is served of it

    private void assertServesAll(BrokerProcess broker, boolean isCluster, boolean hasBan) throws Exception {
        try (broker) {
            broker.start();
            assertThat(broker.status()).doesNotContain("FAILED");
            assertQueueIsServed(broker);
            assertInFlightIsServed(broker);
            assertRetainedAreServed(broker);
            assertRoutesAreServed(broker);
            if (hasBan) {
                assertBanHolds(broker);
            }
            if (isCluster) {
                Path out = directory.resolve("admin.out");
                assertThat(broker.admin(out, "ranges", "inbox")).isZero();
                assertThat(Files.readString(out)).contains("voters wanted of each range: " + VOTERS);
            }
            broker.stop();
        }
    }

    private static void assertQueueIsServed(BrokerProcess broker) throws Exception {
        try (TestClient subscriber = new TestClient(stored(broker, "kept"))) {
            assertThat(subscriber.connect().sessionPresent()).isTrue();
            for (int i = 0; i < MESSAGES; i++) {
                Packet.Publish message = next(subscriber, "message " + i);
                assertThat(text(message)).isEqualTo(filled("message " + i));
                assertThat(message.qos()).isEqualTo(1 + i % 2);
            }
        }
    }

    /** Again, as what it was. */
    private static void assertInFlightIsServed(BrokerProcess broker) throws Exception {
        try (TestClient client = new TestClient(stored(broker, "unanswered"))) {
            assertThat(client.connect().sessionPresent()).isTrue();
            Packet.Publish message = next(client, "what was in flight");
            assertThat(text(message)).isEqualTo("in flight");
            assertThat(message.qos()).isEqualTo(2);
            assertThat(message.dup()).isTrue();
        }
    }

    private static void assertRetainedAreServed(BrokerProcess broker) throws Exception {
        ClientConfig config = ClientConfig.of(broker.address(), "reader", 5).withCleanSession();
        try (TestClient reader = new TestClient(config)) {
            reader.connect();
            reader.subscribe("r/#", 1);
            Set<String> topics = new TreeSet<>();
            for (int i = 0; i < RETAINED; i++) {
                Packet.Publish message = next(reader, "a retained message");
                assertThat(text(message)).isEqualTo(filled("retained " + message.topic()));
                int number = Integer.parseInt(message.topic().substring("r/".length()));
                assertThat(message.properties().entries()).contains(property(number));
                topics.add(message.topic());
            }
            assertThat(topics).hasSize(RETAINED);
        }
    }

    /** And what comes goes to them and to the group, which is stored as well. */
    private static void assertRoutesAreServed(BrokerProcess broker) throws Exception {
        try (TestClient publisher = new TestClient(stored(broker, "publisher"));
                TestClient router = new TestClient(stored(broker, "router"));
                TestClient member = new TestClient(stored(broker, "member"))) {
            publisher.connect();
            assertThat(router.connect().sessionPresent()).isTrue();
            assertThat(member.connect().sessionPresent()).isTrue();
            for (int i = 0; i < ROUTES; i++) {
                publisher.publish(route(i), "probe", 1).get(20, TimeUnit.SECONDS);
                assertThat(next(router, route(i)).topic()).isEqualTo(route(i));
            }
            publisher.publish("s", "to the group", 1).get(20, TimeUnit.SECONDS);
            assertThat(text(next(member, "what is for the group"))).isEqualTo("to the group");
        }
    }

    /** A node reads the records of operators after its start. */
    private void assertBanHolds(BrokerProcess broker) throws Exception {
        Await.until("the ban holds", () -> {
            try (TestClient client = new TestClient(ClientConfig.of(broker.address(), BANNED, 5))) {
                return client.connect().code() == CODE_BANNED;
            }
        });
        Path out = directory.resolve("admin.out");
        assertThat(broker.admin(out, "bans")).isZero();
        assertThat(Files.readString(out)).contains(BANNED, REASON);
    }

    private static Packet.Publish next(TestClient client, String what) throws InterruptedException {
        Packet.@Nullable Publish message = client.next(PATIENCE);
        if (message == null) {
            throw new AssertionError("not within " + PATIENCE + ": " + what);
        }
        return message;
    }

    /** By MQTT 3.1.1: its session never expires. */
    private static ClientConfig stored(BrokerProcess broker, String clientId) {
        return ClientConfig.of(broker.address(), clientId, 4);
    }

    /** Long in the log, short in a resource. */
    private static String filled(String text) {
        return text + "x".repeat(4_000);
    }

    private static String route(int number) {
        return "route/" + number;
    }

    private static Properties.Entry property(int number) {
        return new Properties.Entry(Properties.USER_PROPERTY, new Properties.Pair("number", "n" + number));
    }

    private static String text(Packet.Publish message) {
        return new String(message.payload(), StandardCharsets.UTF_8);
    }
}
