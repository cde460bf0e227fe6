package io.godwit.mqtt.session.live;

import io.godwit.dist.client.Deliverer;
import io.godwit.dist.client.DistClient;
import io.godwit.dist.client.Publisher;
import io.godwit.dist.client.SubscriptionOptions;
import io.godwit.mqtt.session.core.SessionServices;
import io.godwit.mqtt.session.core.SessionTerms;
import io.godwit.mqtt.transport.socket.SinkConnections;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * One publish of QoS 0, 32 bytes, to all its live receivers on the publisher's event loop: matched, delivered, appended
 * to each outbound buffer, and written to sockets that accept it at once. Does not include the cost of system calls.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class FanOutBenchmark {
    private static final Message MESSAGE = new Message(
            "plant/7/line/12/sensor/4711", new byte[32], Qos.AT_MOST_ONCE, false, 0, MessageProperties.NONE);

    @Param({"1", "100", "10000"})
    public int receivers;

    private SinkConnections connections = new SinkConnections();
    private Publisher publisher = (message, token) -> Deliverer.DELIVERED;

    @Setup
    public void setUp() {
        connections = new SinkConnections();
        DistClient dist = StorelessServices.dist(new LiveFanOut(1, System::currentTimeMillis));
        SessionServices services = StorelessServices.of(dist, connections.reports());
        TopicFilter filter = TopicFilter.parse(MESSAGE.topic()).orElseThrow();
        for (int i = 0; i < receivers; i++) {
            SessionTerms terms = new SessionTerms(client("s" + i), 100, 0, 0, null);
            TransientSession session = new TransientSession(connections.open(), services, terms, null, () -> {});
            dist.subscribe(
                    TenantId.DEFAULT, filter, session, new SubscriptionOptions(Qos.AT_MOST_ONCE, false, false, 0));
        }
        publisher = dist.publisher(client("publisher"));
        long before = connections.bytes();
        publish();
        if (connections.bytes() - before < receivers * 32L) {
            throw new IllegalStateException("not all receivers were given the message");
        }
    }

    private static ClientInfo client(String id) {
        return new ClientInfo(TenantId.DEFAULT, new ClientId(id), null, "127.0.0.1:1", 5);
    }

    @TearDown
    public void close() {
        connections.close();
    }

    @Benchmark
    public long publish() {
        publisher.publish(MESSAGE, null);
        connections.runLoop();
        return connections.bytes();
    }
}
