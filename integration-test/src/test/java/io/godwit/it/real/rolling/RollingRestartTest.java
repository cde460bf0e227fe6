package io.godwit.it.real.rolling;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.broker.Ports;
import io.godwit.it.cluster.BrokerCluster;
import io.godwit.it.real.Programs;
import io.godwit.testing.Await;
import io.godwit.testing.Needs;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Three packaged brokers that are one cluster are stopped and started again, one by one, while a publisher and a
 * subscriber of each library send numbers through them. All that was acknowledged reaches the subscriber, and a client
 * connects again at most once for each restart. Libraries that take a list of servers have all nodes in it; the others
 * go through HAProxy. All libraries share one such round, and each test looks at what one of them has seen.
 */
@Tag("full")
class RollingRestartTest {
    private static final Logger LOG = LoggerFactory.getLogger(RollingRestartTest.class);
    private static final int NODES = 3;
    /** How long clients have until they are served again, on a machine that is busy with other tests. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @TempDir
    private static Path directory;

    private static final Map<Library, Traffic> TRAFFIC = new EnumMap<>(Library.class);
    private static BrokerCluster cluster;
    private static @Nullable HaProxy proxy;

    private enum Library {
        PAHO_V3(true),
        PAHO_V5(true),
        HIVEMQ_V3(false),
        HIVEMQ_V5(false),
        VERTX(false),
        MOSQUITTO(false),
        PAHO_PYTHON(false),
        MQTTJS(true);

        private final boolean takesList;

        Library(boolean takesList) {
            this.takesList = takesList;
        }

        /** What it needs and this machine lacks, as {@link Needs} names it; null for nothing. */
        @Nullable
        String missing() throws Exception {
            if (!takesList && HaProxy.installed() == null) {
                return "haproxy";
            }
            return switch (this) {
                case PAHO_V3, PAHO_V5, HIVEMQ_V3, HIVEMQ_V5, VERTX -> null;
                case MOSQUITTO ->
                    Programs.find("mosquitto_pub") == null || Programs.find("mosquitto_sub") == null
                            ? "mosquitto-clients"
                            : null;
                case PAHO_PYTHON -> hasPahoPython() ? null : "paho-mqtt";
                case MQTTJS -> {
                    if (Programs.find("node") == null) {
                        yield "node";
                    }
                    yield Files.isDirectory(Programs.NODE_MODULES.resolve("mqtt")) ? null : "mqtt";
                }
            };
        }

        private static boolean hasPahoPython() throws Exception {
            return Programs.find("python3") != null
                    && new ProcessBuilder("python3", "-c", "import paho.mqtt.client")
                                    .redirectErrorStream(true)
                                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                                    .start()
                                    .waitFor()
                            == 0;
        }

        /** Not connected. */
        Pair make(Tally tally) throws Exception {
            return switch (this) {
                case PAHO_V3 -> new PahoV3Pair(servers(), tally);
                case PAHO_V5 -> new PahoV5Pair(servers(), tally);
                case HIVEMQ_V3 -> new HiveMqV3Pair(proxyAddress(), tally);
                case HIVEMQ_V5 -> new HiveMqV5Pair(proxyAddress(), tally);
                case VERTX -> new VertxPair(proxyAddress(), tally);
                case MOSQUITTO -> new MosquittoPair(proxyAddress(), tally);
                case PAHO_PYTHON -> {
                    Path script = Programs.script("rolling.py", directory);
                    String port = Integer.toString(proxyAddress().getPort());
                    yield new ScriptPair(List.of("python3", script.toString(), port, "5"), Map.of(), tally);
                }
                case MQTTJS -> {
                    List<String> command = new ArrayList<>();
                    command.addAll(List.of(
                            "node", Programs.script("rolling.cjs", directory).toString(), "5"));
                    for (BrokerProcess node : cluster.nodes()) {
                        command.add(Integer.toString(node.address().getPort()));
                    }
                    yield new ScriptPair(command, Map.of("NODE_PATH", Programs.NODE_MODULES.toString()), tally);
                }
            };
        }

        private static List<String> servers() {
            return cluster.nodes().stream()
                    .map(node -> "127.0.0.1:" + node.address().getPort())
                    .toList();
        }

        private static InetSocketAddress proxyAddress() {
            HaProxy running = proxy;
            if (running == null) {
                throw new IllegalStateException("no HAProxy");
            }
            return running.address();
        }
    }

    @BeforeAll
    @Timeout(400)
    static void restartAllNodesUnderLoad() throws Exception {
        startNodes();
        for (Library library : Library.values()) {
            if (library.missing() == null) {
                Tally tally = new Tally();
                Traffic traffic = new Traffic(library.name(), library.make(tally), tally);
                TRAFFIC.put(library, traffic);
                traffic.start();
            }
        }
        awaitService("at the beginning");
        for (int i = 0; i < NODES; i++) {
            TRAFFIC.values().forEach(Traffic::restartBegins);
            long begin = System.nanoTime();
            cluster.node(i).stop();
            long stopped = System.nanoTime();
            cluster.node(i).start();
            LOG.info(
                    "node {} stopped in {} ms, serves again {} ms later",
                    i,
                    TimeUnit.NANOSECONDS.toMillis(stopped - begin),
                    TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - stopped));
            awaitService("behind the restart of node " + i);
            String restart = "restart of node " + i;
            TRAFFIC.values().forEach(traffic -> traffic.restartEnded(restart));
        }
        TRAFFIC.values().forEach(Traffic::stopPublishing);
        Traffic.awaitRest(TRAFFIC.values(), PATIENCE);
        TRAFFIC.values().forEach(traffic -> LOG.info("{}", traffic));
    }

    private static void startNodes() throws IOException {
        cluster = new BrokerCluster(directory, NODES).votersSoon();
        List<InetSocketAddress> behindProxy = new ArrayList<>();
        for (BrokerProcess node : cluster.nodes()) {
            InetSocketAddress address = Ports.free();
            behindProxy.add(address);
            node.property("inbox_store_initial_ranges", NODES)
                    .listener("{host: 127.0.0.1, port: " + address.getPort()
                            + ", proxyProtocol: {enable: true, from: 127.0.0.1}}");
        }
        cluster.start();
        cluster.awaitVoters(0, "inbox", NODES, NODES);
        cluster.awaitVoters(0, "dist", 1, NODES);
        cluster.awaitVoters(0, "retain", 1, NODES);
        String executable = HaProxy.installed();
        if (executable != null) {
            proxy = new HaProxy(executable, directory, behindProxy);
        }
    }

    /** Until what each publishes from now on is acknowledged and given; those that wait in vain tell it later. */
    private static void awaitService(String when) {
        Map<Traffic, Integer> marks = new HashMap<>();
        TRAFFIC.values().forEach(traffic -> marks.put(traffic, traffic.number()));
        Await.comesToHold(
                PATIENCE,
                () -> marks.entrySet().stream().allMatch(mark -> mark.getKey().isServedBehind(mark.getValue())));
        marks.forEach((traffic, mark) -> {
            if (!traffic.isServedBehind(mark)) {
                traffic.wrong("not served within " + PATIENCE.toSeconds() + " s " + when);
            }
        });
    }

    @AfterAll
    static void end() throws Exception {
        try {
            for (Traffic traffic : TRAFFIC.values()) {
                traffic.close();
            }
        } finally {
            if (proxy != null) {
                proxy.close();
            }
            cluster.close();
        }
    }

    @ParameterizedTest
    @EnumSource
    void nothingAcknowledgedIsLostAndOneReconnectIsEnough(Library library) throws Exception {
        String missing = library.missing();
        Needs.need(missing == null, String.valueOf(missing), ".ci/install-test-clients does it");
        Traffic traffic = TRAFFIC.get(library);
        assertThat(traffic).isNotNull();
        assertThat(traffic.missing())
                .as("acknowledged and not given: %s", traffic.details())
                .isEmpty();
        assertThat(traffic.wrong()).as("%s", traffic.details()).isEmpty();
        // all nodes were restarted, so each client was on one that was
        assertThat(traffic.reconnects()).as("%s", traffic.details()).isPositive();
    }
}
