package io.godwit.mqtt;

import io.godwit.mqtt.auth.AuthConfig;
import io.godwit.mqtt.codec.DecodeLimits;
import io.godwit.mqtt.intercept.Interceptors;
import io.godwit.mqtt.session.core.SessionConfig;
import io.godwit.mqtt.session.core.SessionStores;
import io.godwit.mqtt.tenant.TenantConfig;
import io.godwit.mqtt.topic.TopicRules;
import io.godwit.mqtt.trace.Tracing;
import io.godwit.mqtt.transport.Listener;
import io.godwit.mqtt.transport.config.AllowedOrigins;
import io.godwit.mqtt.transport.config.BanConfig;
import io.godwit.mqtt.transport.config.ListenerConfig;
import io.godwit.mqtt.transport.config.ListenerLimits;
import io.godwit.mqtt.transport.config.MemoryConfig;
import io.godwit.mqtt.transport.config.TransportConfig;
import io.godwit.mqtt.transport.report.ReportTargets;
import io.godwit.mqtt.twin.MemoryAuth;
import io.godwit.mqtt.twin.MemoryDirectory;
import io.godwit.mqtt.twin.MemoryDist;
import io.godwit.mqtt.twin.MemoryInbox;
import io.godwit.mqtt.twin.MemoryRetain;
import io.godwit.plugin.auth.AuthProvider;
import io.godwit.plugin.event.BrokerEvent;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

/** A frontend on a free port of the loopback interface, on stores in memory. */
final class TestNode implements AutoCloseable {
    static final TransportConfig TRANSPORT = new TransportConfig(
            2, true, TransportConfig.Io.SOCKETS, 1024 * 1024, 128 << 20, DecodeLimits.DEFAULTS, Duration.ofSeconds(5));

    static final ListenerLimits LIMITS = new ListenerLimits(2 * 1024 * 1024, 0, 0, Duration.ofSeconds(5), 0, 0, 0, 0);

    final MemoryDist dist = new MemoryDist();
    final MemoryInbox inbox = new MemoryInbox();
    final MemoryRetain retain = new MemoryRetain();
    final MemoryDirectory directory = new MemoryDirectory();
    final List<BrokerEvent> events = new CopyOnWriteArrayList<>();
    final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    final Tracing tracing = new Tracing();
    final MqttServer server;
    final List<InetSocketAddress> addresses;
    final InetSocketAddress address;

    TestNode() {
        this(TRANSPORT, SessionConfig.DEFAULTS);
    }

    TestNode(TransportConfig transport, SessionConfig session) {
        this(transport, session, LIMITS);
    }

    /** One TCP listener for each of {@code limits}. */
    TestNode(TransportConfig transport, SessionConfig session, ListenerLimits... limits) {
        this(transport, session, Stream.of(limits).map(TestNode::onAnyPort).toList());
    }

    TestNode(TransportConfig transport, SessionConfig session, List<ListenerConfig> listeners) {
        this(new MqttConfig(listeners, transport, session, AuthConfig.DEFAULTS), new MemoryAuth());
    }

    TestNode(AuthProvider auth, AuthConfig config) {
        this(
                new MqttConfig(
                        List.of(onAnyPort(LIMITS)),
                        TRANSPORT,
                        SessionConfig.DEFAULTS,
                        config,
                        TopicRules.NONE,
                        MemoryConfig.DEFAULTS,
                        BanConfig.DEFAULTS),
                auth);
    }

    TestNode(BanConfig bans, AuthProvider auth, ListenerConfig... listeners) {
        this(
                new MqttConfig(
                        List.of(listeners),
                        TRANSPORT,
                        SessionConfig.DEFAULTS,
                        AuthConfig.DEFAULTS,
                        TopicRules.NONE,
                        MemoryConfig.DEFAULTS,
                        bans),
                auth);
    }

    TestNode(TenantConfig tenants, ListenerConfig... listeners) {
        this(tenants, new MemoryAuth(), listeners);
    }

    TestNode(TenantConfig tenants, AuthProvider auth, ListenerConfig... listeners) {
        this(
                new MqttConfig(
                        List.of(listeners),
                        TRANSPORT,
                        SessionConfig.DEFAULTS,
                        AuthConfig.DEFAULTS,
                        TopicRules.NONE,
                        MemoryConfig.DEFAULTS,
                        BanConfig.DEFAULTS,
                        tenants),
                auth);
    }

    TestNode(SessionConfig session, AuthProvider auth) {
        this(
                new MqttConfig(
                        List.of(onAnyPort(LIMITS)),
                        TRANSPORT,
                        session,
                        AuthConfig.DEFAULTS,
                        TopicRules.NONE,
                        MemoryConfig.DEFAULTS,
                        BanConfig.DEFAULTS),
                auth);
    }

    TestNode(TopicRules topics) {
        this(
                new MqttConfig(
                        List.of(onAnyPort(LIMITS)),
                        TRANSPORT,
                        SessionConfig.DEFAULTS,
                        AuthConfig.DEFAULTS,
                        topics,
                        MemoryConfig.DEFAULTS,
                        BanConfig.DEFAULTS),
                new MemoryAuth());
    }

    /** With one event loop, which learns at once whether memory is short. */
    TestNode(HandMemory memory) {
        this(
                new MqttConfig(
                        List.of(onAnyPort(LIMITS)),
                        new TransportConfig(
                                1,
                                true,
                                TransportConfig.Io.SOCKETS,
                                1024 * 1024,
                                0,
                                DecodeLimits.DEFAULTS,
                                Duration.ofSeconds(5)),
                        SessionConfig.DEFAULTS,
                        AuthConfig.DEFAULTS,
                        TopicRules.NONE,
                        new MemoryConfig(85, 85, Duration.ofMillis(1)),
                        BanConfig.DEFAULTS),
                new MemoryAuth(),
                memory);
    }

    /** Plugins see the messages of all clients. */
    TestNode(Interceptors interceptors, AuthProvider auth) {
        this(
                new MqttConfig(List.of(onAnyPort(LIMITS)), TRANSPORT, SessionConfig.DEFAULTS, AuthConfig.DEFAULTS),
                auth,
                new HandMemory(),
                interceptors);
    }

    private TestNode(MqttConfig config, AuthProvider auth) {
        this(config, auth, new HandMemory());
    }

    private TestNode(MqttConfig config, AuthProvider auth, HandMemory memory) {
        this(config, auth, memory, Interceptors.NONE);
    }

    private TestNode(MqttConfig config, AuthProvider auth, HandMemory memory, Interceptors interceptors) {
        server = new MqttServer(
                config,
                new SessionStores(dist, inbox, retain),
                directory,
                auth,
                new ReportTargets(events::add, meters, tracing),
                System::currentTimeMillis,
                memory);
        server.intercept(interceptors);
        dist.deliverTo(server.liveDeliverer(), inbox.deliverer());
        try {
            addresses = server.start().stream().map(Listener::address).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        address = addresses.get(0);
    }

    static ListenerConfig onAnyPort(String mountPoint, ListenerLimits limits) {
        return new ListenerConfig(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                limits,
                null,
                null,
                AllowedOrigins.ANY,
                List.of(),
                mountPoint,
                null);
    }

    static ListenerConfig onAnyPort(ListenerLimits limits) {
        return ListenerConfig.tcp(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), limits);
    }

    /** The defaults except for the two windows. */
    static SessionConfig config(int receiveMaximum, int sendWindow) {
        SessionConfig d = SessionConfig.DEFAULTS;
        return d.with(new SessionConfig.Windows(
                receiveMaximum, sendWindow, d.windows().topicAliasMaximum()));
    }

    /** Over all tags that are not among {@code tags}, which are pairs of name and value. */
    double count(String counter, String... tags) {
        return meters.get(counter).tags(tags).functionCounters().stream()
                .mapToDouble(FunctionCounter::count)
                .sum();
    }

    @Override
    public void close() {
        server.close();
    }
}
