package io.godwit.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.mqtt.packet.Connect;
import io.godwit.mqtt.packet.PubAck;
import io.godwit.mqtt.packet.Publish;
import io.godwit.mqtt.packet.SubAck;
import io.godwit.mqtt.packet.Subscribe;
import io.godwit.mqtt.packet.field.Subscription;
import io.godwit.mqtt.transport.memory.JvmMemory;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import io.micrometer.core.instrument.FunctionCounter;
import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Output held for clients that do not read it. */
class SlowReadersTest {
    private static final int READERS = 30;
    private static final long MIB = 1 << 20;
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final JvmMemory memory = new JvmMemory();

    @Test
    void itsMemoryGoesBackToTheSystemWhenTheyHaveGone() throws Exception {
        try (TestNode node = new TestNode();
                TestClient publisher = TestClient.clean(node.address, 5, "publisher")) {
            long before = memory.directBytes();
            List<TestClient> readers = new ArrayList<>();
            for (int i = 0; i < READERS; i++) {
                readers.add(deaf(node, "deaf-" + i));
            }
            Publish publish = TestClient.publish(0, Qos.AT_MOST_ONCE, false, "much", "x".repeat(8000));
            while (dropped(node) < 100 * READERS) { // until all sockets and the buffers beyond them are full
                for (int i = 0; i < 100; i++) {
                    publisher.send(publish);
                }
                publisher.send(TestClient.publish(1, Qos.AT_LEAST_ONCE, false, "none", "x"));
                publisher.receive(PubAck.class);
            }
            long held = memory.directBytes() - before;
            assertThat(held).as("held for %d", READERS).isGreaterThan(READERS * MIB / 2);

            readers.forEach(TestClient::close);
            long giveUp = System.nanoTime() + PATIENCE.toNanos();
            // Each event loop keeps a few chunks of several megabytes for later, however much was held.
            while (memory.directBytes() > before + held / 3 && System.nanoTime() < giveUp) {
                Thread.onSpinWait();
            }
            assertThat(memory.directBytes()).isLessThanOrEqualTo(before + held / 3);
        }
    }

    private static double dropped(TestNode node) {
        return node.meters.get("godwit.mqtt.messages.dropped").functionCounters().stream()
                .mapToDouble(FunctionCounter::count)
                .sum();
    }

    private static TestClient deaf(TestNode node, String clientId) throws IOException {
        Socket socket = new Socket();
        socket.setReceiveBufferSize(4096); // the system does not take it all
        socket.connect(node.address);
        TestClient client = new TestClient(socket, 5);
        client.connect(new Connect(5, true, 0, clientId, null, null, null));
        client.send(new Subscribe(
                1, List.of(new Subscription(TopicFilter.parse("much").orElseThrow(), Qos.AT_MOST_ONCE))));
        client.receive(SubAck.class);
        return client;
    }
}
