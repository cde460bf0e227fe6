package io.godwit.perf.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.perf.load.client.ClientSettings;
import io.godwit.perf.load.client.Endpoint;
import io.godwit.perf.load.client.LoadSettings;
import io.godwit.perf.load.measure.Time;
import io.godwit.perf.scenario.Family;
import io.godwit.perf.scenario.Scenario;
import io.godwit.perf.scenario.Topology;
import io.netty.handler.codec.mqtt.MqttQoS;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.mqtt.MqttEndpoint;
import io.vertx.mqtt.MqttServer;
import io.vertx.mqtt.MqttServerOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The times of acknowledgements, as seen by a server that sends to all subscribers in bursts. */
class AckDelayTest {
    private static final int BURST = 40;
    private static final List<Integer> ALL =
            IntStream.rangeClosed(1, 2 * BURST).boxed().toList();

    /**
     * What the server sees of one client. Written by its event loop, and read by the test after the clients have
     * disconnected.
     */
    private static final class Seen {
        private final Map<Integer, Long> sentNanos = new HashMap<>();
        private final List<Integer> acknowledged = new ArrayList<>();
        private long soonestNanos = Long.MAX_VALUE;
        private long latestNanos;
    }

    private final Vertx vertx = Vertx.vertx();
    private final ConcurrentLinkedQueue<Seen> clients = new ConcurrentLinkedQueue<>();
    private MqttServer server = MqttServer.create(vertx);

    @BeforeEach
    void listen() throws Exception {
        server = MqttServer.create(
                vertx, new MqttServerOptions().setHost("127.0.0.1").setPort(0));
        server.endpointHandler(this::serve);
        server.listen().toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
    }

    @AfterEach
    void close() throws Exception {
        vertx.close().toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
    }

    private void serve(MqttEndpoint endpoint) {
        Seen seen = new Seen();
        clients.add(seen);
        endpoint.publishAcknowledgeHandler(id -> acknowledged(seen, id));
        endpoint.publishReceivedHandler(id -> {
            seen.sentNanos.put(id, Time.nowNanos()); // the message counts as delivered with its PUBREL
            endpoint.publishRelease(id);
        });
        endpoint.publishCompletionHandler(id -> acknowledged(seen, id));
        endpoint.subscribeHandler(subscribe -> {
            MqttQoS qos = subscribe.topicSubscriptions().get(0).qualityOfService();
            endpoint.subscribeAcknowledge(subscribe.messageId(), List.of(qos));
            burst(endpoint, seen, qos, 1);
            vertx.setTimer(150, timer -> burst(endpoint, seen, qos, 1 + BURST));
        });
        endpoint.accept(false);
    }

    private static void burst(MqttEndpoint endpoint, Seen seen, MqttQoS qos, int first) {
        for (int id = first; id < first + BURST; id++) {
            seen.sentNanos.put(id, Time.nowNanos());
            endpoint.publish("t", Buffer.buffer("payload"), qos, false, false, id);
        }
    }

    private static void acknowledged(Seen seen, int id) {
        long nanos = Time.nowNanos() - seen.sentNanos.getOrDefault(id, Long.MAX_VALUE);
        seen.acknowledged.add(id);
        seen.soonestNanos = Math.min(seen.soonestNanos, nanos);
        seen.latestNanos = Math.max(seen.latestNanos, nanos);
    }

    private List<Seen> subscribe(int qos, Duration ackDelay) throws Exception {
        Scenario scenario = Scenario.named("listen", Family.FREE, Topology.LISTEN)
                .subscribers(3)
                .payloadBytes(1_000)
                .qos(qos)
                .build();
        LoadSettings settings = new LoadSettings(
                        Duration.ZERO,
                        Duration.ofMillis(900),
                        Duration.ofSeconds(5),
                        1,
                        100,
                        10,
                        2,
                        false,
                        Duration.ZERO)
                .withAckDelay(ackDelay);
        ClientSettings brokers = new ClientSettings(
                List.of(new Endpoint("127.0.0.1", server.actualPort())), List.of(), null, null, false, null, null, 60);
        new LoadRun(scenario, 1, scenario, settings, brokers, "t", Optional.empty(), progress -> {}).run();
        server.close().toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
        assertThat(clients).hasSize(3);
        return List.copyOf(clients);
    }

    @Test
    void eachMessageIsAcknowledgedTheDelayLaterAndInItsTurn() throws Exception {
        assertThat(subscribe(1, Duration.ofMillis(120))).allSatisfy(seen -> {
            assertThat(seen.acknowledged).isEqualTo(ALL);
            assertThat(seen.soonestNanos)
                    .isGreaterThanOrEqualTo(Duration.ofMillis(120).toNanos());
        });
    }

    @Test
    void atQos2TheEndOfTheExchangeWaits() throws Exception {
        assertThat(subscribe(2, Duration.ofMillis(120))).allSatisfy(seen -> {
            assertThat(seen.acknowledged).isEqualTo(ALL);
            assertThat(seen.soonestNanos)
                    .isGreaterThanOrEqualTo(Duration.ofMillis(120).toNanos());
        });
    }

    @Test
    void whatIsOwedAtTheEndIsAcknowledgedBeforeTheGoodBye() throws Exception {
        assertThat(subscribe(1, Duration.ofMinutes(10))).allSatisfy(seen -> {
            assertThat(seen.acknowledged).isEqualTo(ALL);
            assertThat(seen.latestNanos).isLessThan(Duration.ofMinutes(1).toNanos());
        });
    }

    @Test
    void withoutADelayTheClientAcknowledgesByItself() throws Exception {
        assertThat(subscribe(1, Duration.ZERO)).allSatisfy(seen -> {
            assertThat(seen.acknowledged).isEqualTo(ALL);
            assertThat(seen.soonestNanos).isLessThan(Duration.ofMillis(120).toNanos());
        });
    }
}
