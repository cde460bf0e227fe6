package io.godwit.mqtt.session.live;

import io.godwit.dist.client.Delivery;
import io.godwit.dist.client.Match;
import io.godwit.mqtt.auth.AuthConfig;
import io.godwit.mqtt.auth.Authorizer;
import io.godwit.mqtt.packet.PubAck;
import io.godwit.mqtt.packet.Publish;
import io.godwit.mqtt.session.RecordingConnection;
import io.godwit.mqtt.session.core.SessionConfig;
import io.godwit.mqtt.session.core.SessionServices;
import io.godwit.mqtt.session.core.SessionStores;
import io.godwit.mqtt.session.core.SessionTerms;
import io.godwit.mqtt.transport.loop.LoopContext;
import io.godwit.mqtt.transport.report.MqttMetrics;
import io.godwit.mqtt.transport.report.MqttReports;
import io.godwit.mqtt.twin.MemoryAuth;
import io.godwit.mqtt.twin.MemoryDist;
import io.godwit.mqtt.twin.MemoryInbox;
import io.godwit.mqtt.twin.MemoryRetain;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.DropReason;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.tenant.TenantSettings;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;

/** Live sessions on the thread of the test, with recorded packets and stores in memory. */
abstract class TransientSessionFixture {
    static final ClientInfo PUBLISHER = new ClientInfo(TenantId.DEFAULT, new ClientId("p"), null, "test:2", 5);

    final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    final LoopContext loop = new LoopContext(0, tasks::add);
    final MemoryDist dist = new MemoryDist();
    final MemoryRetain retain = new MemoryRetain();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    final List<BrokerEvent> events = new ArrayList<>();
    final RecordingConnection connection = new RecordingConnection(loop);
    final MqttReports reports = new MqttReports(new MqttMetrics(meters), events::add);
    final Authorizer authorizer = new Authorizer(new MemoryAuth(), AuthConfig.DEFAULTS, reports);
    /** Of the tenant of all sessions. */
    TenantSettings settings = TenantSettings.NONE;

    long nowMillis = 1_000_000;
    boolean isEnded;

    @BeforeEach
    void bind() {
        loop.bindToCurrentThread();
    }

    void runTasks() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
    }

    TransientSession session(int level, int window, SessionConfig config) {
        return session(connection, level, window, config);
    }

    TransientSession session(RecordingConnection on, int level, int window, SessionConfig config) {
        SessionStores stores = new SessionStores(dist, new MemoryInbox(), retain);
        SessionServices services = new SessionServices(config, stores, authorizer, reports, () -> nowMillis, 3);
        services.policies().tenants().say(TenantId.DEFAULT, settings);
        ClientInfo client = new ClientInfo(TenantId.DEFAULT, new ClientId("c"), null, "test:1", level);
        return new TransientSession(
                on, services, new SessionTerms(client, window, 0, 0, null), null, () -> isEnded = true);
    }

    static SessionConfig config(int receiveMaximum, int maxQueued, boolean dropsOldest, long maxUnstored) {
        return SessionConfig.DEFAULTS
                .with(new SessionConfig.Windows(receiveMaximum, 1000, 16))
                .with(new SessionConfig.Queue(maxQueued, 1 << 20, dropsOldest))
                .with(new SessionConfig.Intake(maxUnstored, 1 << 20))
                .with(new SessionConfig.Times(0, 0, 0));
    }

    Message message(String payload, Qos qos, long expirySeconds) {
        MessageProperties properties = new MessageProperties(-1, expirySeconds, null, null, null, List.of());
        return new Message("a", payload.getBytes(StandardCharsets.UTF_8), qos, false, nowMillis, properties);
    }

    void deliver(TransientSession session, String payload, Qos qos) {
        deliver(session, message(payload, qos, -1), match(session, qos));
    }

    static void deliver(TransientSession session, Message message, Match match) {
        session.deliver(new Delivery(PUBLISHER, message, List.of(match), null), match, null);
    }

    static Match match(TransientSession session, Qos qos) {
        return new Match(session, qos, false, Match.NO_IDS);
    }

    List<DropReason> drops() {
        return events.stream()
                .filter(BrokerEvent.MessageDropped.class::isInstance)
                .map(event -> ((BrokerEvent.MessageDropped) event).reason())
                .toList();
    }

    void tick(TransientSession session, int times) {
        for (int i = 0; i < times; i++) {
            connection.tick(session);
        }
    }

    void acknowledgeAll(TransientSession session) {
        for (int seen = 0; seen < connection.publishIds().size(); seen++) {
            session.onPacket(new PubAck(connection.publishIds().get(seen)));
            session.onReadComplete();
        }
    }

    List<String> payloads() {
        return connection.sent.stream()
                .filter(Publish.class::isInstance)
                .map(packet -> new String(((Publish) packet).payload(), StandardCharsets.UTF_8))
                .toList();
    }
}
