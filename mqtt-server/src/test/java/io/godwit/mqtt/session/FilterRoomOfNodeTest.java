package io.godwit.mqtt.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.mqtt.auth.AuthConfig;
import io.godwit.mqtt.auth.Authorizer;
import io.godwit.mqtt.packet.SubAck;
import io.godwit.mqtt.packet.Subscribe;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.packet.field.Subscription;
import io.godwit.mqtt.session.core.SessionConfig;
import io.godwit.mqtt.session.core.SessionServices;
import io.godwit.mqtt.session.core.SessionStores;
import io.godwit.mqtt.session.core.SessionTerms;
import io.godwit.mqtt.session.live.TransientSession;
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
import io.godwit.plugin.event.DisconnectCause;
import io.godwit.plugin.event.SubscribeRefusalCause;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Filters of all sessions of a node together. Each session may have many: of many sessions that is the heap. */
class FilterRoomOfNodeTest {
    private final List<BrokerEvent> events = new ArrayList<>();
    private final LoopContext loop = new LoopContext(0, Runnable::run);
    private final SessionServices services = services();

    private SessionServices services() {
        loop.bindToCurrentThread();
        MqttReports reports = new MqttReports(new MqttMetrics(new SimpleMeterRegistry()), events::add);
        return new SessionServices(
                SessionConfig.DEFAULTS,
                new SessionStores(new MemoryDist(), new MemoryInbox(), new MemoryRetain()),
                new Authorizer(new MemoryAuth(), AuthConfig.DEFAULTS, reports),
                reports,
                () -> 0,
                1);
    }

    private TransientSession session(String clientId) {
        return session(new RecordingConnection(loop), clientId);
    }

    private TransientSession session(RecordingConnection connection, String clientId) {
        ClientInfo client = new ClientInfo(TenantId.DEFAULT, new ClientId(clientId), null, "test:1", 5);
        return new TransientSession(connection, services, new SessionTerms(client, 1, 0, 0, null), null, () -> {});
    }

    private static TopicFilter filter(int number) {
        return TopicFilter.parse("some/+/filter/" + number).orElseThrow();
    }

    @Test
    void whenThereIsNoRoomASessionMayHaveAFewAndOthersNoMore() {
        TransientSession greedy = session("greedy");
        for (int i = 0; i < 1_000; i++) {
            greedy.noteAdded(filter(i));
        }
        long held = services.filterBytes.held();
        assertThat(held).isBetween(300_000L, 1_000_000L);
        services.filterBytes.add(services.filterBytes.free()); // others take the rest
        assertThat(greedy.hasRoomFor(filter(1_001))).isFalse();
        TransientSession honest = session("honest");
        for (int i = 0; i < 20; i++) {
            assertThat(honest.hasRoomFor(filter(i))).isTrue();
            honest.noteAdded(filter(i));
        }
    }

    @Test
    void theClientIsToldThatThereIsNoRoomForAFilter() {
        RecordingConnection connection = new RecordingConnection(loop);
        TransientSession session = session(connection, "greedy");
        for (int i = 0; i < 1_000; i++) {
            session.noteAdded(filter(i));
        }
        services.filterBytes.add(services.filterBytes.free());
        session.onPacket(new Subscribe(
                7,
                List.of(
                        new Subscription(filter(1), Qos.AT_MOST_ONCE),
                        new Subscription(filter(1_001), Qos.AT_MOST_ONCE))));
        assertThat(connection.sent).contains(new SubAck(7, List.of(ReasonCode.SUCCESS, ReasonCode.QUOTA_EXCEEDED)));
        assertThat(events)
                .anyMatch(event -> event instanceof BrokerEvent.SubscribeRefused refused
                        && refused.cause() == SubscribeRefusalCause.NODE_LIMIT);
    }

    @Test
    void whatIsGivenUpIsGivenBackOnce() {
        TransientSession session = session("c");
        session.noteAdded(filter(1));
        long one = services.filterBytes.held();
        session.noteAdded(filter(1));
        assertThat(services.filterBytes.held())
                .as("a filter that is noted twice is counted once")
                .isEqualTo(one);
        session.noteAdded(filter(2));
        session.noteRemoved(filter(1));
        session.noteRemoved(filter(1));
        assertThat(services.filterBytes.held()).isEqualTo(one);

        session.onClosed(DisconnectCause.CONNECTION_LOST, "test");
        assertThat(services.filterBytes.held()).isZero();
        session.noteRemoved(filter(2)); // a step that ends late
        session.noteAdded(filter(3));
        assertThat(services.filterBytes.held()).isZero();
    }
}
