package io.godwit.mqtt;

import io.godwit.mqtt.session.SessionConfig;
import io.godwit.mqtt.transport.TransportConfig;
import io.godwit.mqtt.twin.MemoryDirectory;
import io.godwit.mqtt.twin.MemoryDist;
import io.godwit.mqtt.twin.MemoryInbox;
import io.godwit.mqtt.twin.MemoryRetain;
import io.godwit.plugin.event.BrokerEvent;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A frontend on a free port of the loopback interface, on stores in memory. */
final class TestNode implements AutoCloseable {
    static final TransportConfig TRANSPORT = new TransportConfig(
            2, false, 2 * 1024 * 1024, 0, 1024 * 1024, Duration.ofSeconds(5), Duration.ofSeconds(5));

    final MemoryDist dist = new MemoryDist();
    final MemoryInbox inbox = new MemoryInbox();
    final MemoryRetain retain = new MemoryRetain();
    final MemoryDirectory directory = new MemoryDirectory();
    final List<BrokerEvent> events = new CopyOnWriteArrayList<>();
    final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    final MqttServer server;
    final InetSocketAddress address;

    TestNode() {
        this(TRANSPORT, SessionConfig.DEFAULTS);
    }

    TestNode(TransportConfig transport, SessionConfig session) {
        InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        server = new MqttServer(
                new MqttConfig(anyPort, transport, session), dist, inbox, retain, directory, events::add, meters);
        dist.deliverTo(server.liveDeliverer(), inbox.deliverer());
        try {
            address = server.start().get(0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    double count(String counter) {
        return meters.get(counter).functionCounter().count();
    }

    @Override
    public void close() {
        server.close();
    }
}
