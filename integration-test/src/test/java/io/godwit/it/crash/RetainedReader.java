package io.godwit.it.crash;

import io.godwit.it.client.AckPolicy;
import io.godwit.it.client.ClientConfig;
import io.godwit.it.client.TestClient;
import io.godwit.it.crash.Event.Kind;
import io.godwit.it.wire.Packet;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Reads all retained messages as a new client would, and writes what it found into the history. Any thread. */
final class RetainedReader {
    private final Supplier<InetSocketAddress> addresses;
    private final History history;
    private final String filter;
    private final AtomicInteger reads = new AtomicInteger();

    RetainedReader(InetSocketAddress address, History history, String filter) {
        this(() -> address, history, filter);
    }

    /** @param addresses asked for one for each reading */
    RetainedReader(Supplier<InetSocketAddress> addresses, History history, String filter) {
        this.addresses = addresses;
        this.history = history;
        this.filter = filter;
    }

    /**
     * Reads once. A broker that goes away meanwhile leaves no reading behind.
     *
     * @param quiet after which silence it ends
     * @param limit how long to read when it does not fall silent, since others publish
     * @param all whether what was not found counts as absent; else it may just be late
     */
    void read(Duration quiet, Duration limit, boolean all) throws IOException, InterruptedException {
        long end = System.nanoTime() + limit.toNanos();
        int number = reads.incrementAndGet();
        String name = "reader-" + number;
        ClientConfig config = ClientConfig.of(addresses.get(), name, number % 2 == 0 ? 4 : 5)
                .withCleanSession()
                .withAcks(AckPolicy.AT_ONCE);
        Map<String, @Nullable MessageId> found = new HashMap<>();
        try (TestClient client = new TestClient(config)) {
            if (client.connect().code() != 0) {
                throw new IOException("refused");
            }
            history.add(Event.of(Kind.READ_BEGIN, name, 1));
            client.subscribe(filter, 1);
            Packet.Publish message;
            while ((message = client.next(quiet)) != null && System.nanoTime() < end) {
                // a live one behind the retained one is newer; an empty one has cleared it
                found.put(
                        message.topic(),
                        message.payload().length == 0 ? null : MessageId.of(message.topic(), message.payload()));
            }
            if (!client.isOpen()) {
                return;
            }
        }
        found.forEach((topic, message) ->
                history.add(Event.of(Kind.READ, name, 1).withText(topic).withMessage(message)));
        history.add(Event.of(Kind.READ_END, name, 1).withFlag(all));
    }
}
