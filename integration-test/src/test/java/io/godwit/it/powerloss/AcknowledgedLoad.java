package io.godwit.it.powerloss;

import io.godwit.it.client.ClientConfig;
import io.godwit.it.client.TestClient;
import io.godwit.it.wire.Packet;
import io.godwit.it.wire.Packet.Ack;
import io.godwit.it.wire.Properties;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Clients of both protocol versions that publish at QoS 1, retain, subscribe and unsubscribe until the broker is gone, and the book of what it has
 * acknowledged to them. Used by one thread, {@link #run} and {@link #losses} in turn; the book is written by the readers of the connections, too.
 */
final class AcknowledgedLoad {
    private static final int[] VERSIONS = {4, 5};
    private static final int RETAINED_TOPICS = 20;
    private static final int FILTERS = 30;
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final String FILLING = " ".repeat(100);

    private final InetSocketAddress address;
    private final Map<String, Integer> sessions = new LinkedHashMap<>();
    private final Map<String, Set<String>> received = new HashMap<>();
    private final Set<String> acknowledged = ConcurrentHashMap.newKeySet();
    private final Map<String, Long> retained = new ConcurrentHashMap<>();

    /** By filter, whether it is subscribed to; none while it is not known. */
    private final Map<String, Boolean> subscribed = new ConcurrentHashMap<>();

    private final Set<String> faults = ConcurrentHashMap.newKeySet();
    private final AtomicLong counter = new AtomicLong();
    private int verifications;

    /** Something that ends the broker. */
    interface End {
        void run() throws IOException;
    }

    private interface Work {
        void run() throws IOException;
    }

    AcknowledgedLoad(InetSocketAddress address) {
        this.address = address;
        for (int version : VERSIONS) {
            sessions.put("absent-" + version, version);
            sessions.put("present-" + version, version);
        }
        sessions.keySet().forEach(session -> received.put(session, ConcurrentHashMap.newKeySet()));
    }

    long acknowledgements() {
        return acknowledged.size();
    }

    /** Makes the sessions, on a broker without data. */
    void makeSessions() throws IOException {
        for (String session : sessions.keySet()) {
            try (TestClient client = subscriber(session)) {
                client.connect();
                client.subscribe("q/+", 1);
                client.disconnect();
            }
        }
        for (int version : VERSIONS) {
            try (TestClient client = churning(version)) {
                client.connect();
                client.disconnect();
            }
        }
    }

    /** Load for a while, and on until the broker is gone. */
    void run(long millis, Random random, End end) throws IOException {
        List<TestClient> present = new ArrayList<>();
        List<CompletableFuture<Void>> working = new ArrayList<>();
        try {
            for (int version : VERSIONS) {
                TestClient client = subscriber("present-" + version);
                present.add(client);
                client.connect();
                long seed = random.nextLong();
                working.add(start(() -> publish(version)));
                working.add(start(() -> churn(version, new Random(seed))));
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
        } finally {
            end.run();
            present.forEach(TestClient::close);
        }
        for (CompletableFuture<Void> work : working) {
            try {
                work.get(30, TimeUnit.SECONDS);
            } catch (ExecutionException | InterruptedException | java.util.concurrent.TimeoutException e) {
                throw new IOException(e);
            }
        }
    }

    /** What the restarted broker does not have, though it had acknowledged it. */
    List<String> losses() throws IOException, InterruptedException {
        verifications++;
        List<String> losses = new ArrayList<>(faults);
        for (String session : sessions.keySet()) {
            lostMessages(session, losses);
        }
        lostRetained(losses);
        for (int version : VERSIONS) {
            lostSubscriptions(version, losses);
        }
        return losses;
    }

    private static CompletableFuture<Void> start(Work work) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                work.run();
            } catch (IOException e) {
                // the broker is gone, as is meant to happen
            } catch (RuntimeException | Error e) {
                done.completeExceptionally(e);
            }
            done.complete(null);
        });
        thread.setDaemon(true);
        thread.start();
        return done;
    }

    private void publish(int version) throws IOException {
        ClientConfig config = ClientConfig.of(address, "publisher-" + version, version)
                .withCleanSession()
                .withWindow(50);
        try (TestClient client = new TestClient(config)) {
            client.connect();
            while (client.isOpen()) {
                if (!client.canPublish()) {
                    LockSupport.parkNanos(200_000);
                    continue;
                }
                long number = counter.incrementAndGet();
                if (number % 8 == 0) {
                    String topic = "r/" + version + '/' + number / 8 % RETAINED_TOPICS;
                    send(client, topic, Long.toString(number), true).thenAccept(ack -> {
                        if (ack != null && ack.code() < 0x80) {
                            retained.merge(topic, number, Math::max);
                        }
                    });
                } else {
                    String message = Long.toString(number);
                    send(client, "q/" + version, message + FILLING, false).thenAccept(ack -> book(message, ack));
                }
                client.flush();
            }
        }
    }

    private static CompletableFuture<@Nullable Ack> send(
            TestClient client, String topic, String payload, boolean retain) throws IOException {
        return client.publish(topic, payload.getBytes(StandardCharsets.UTF_8), 1, retain, Properties.NONE);
    }

    private void book(String message, @Nullable Ack ack) {
        if (ack != null && ack.code() == 0) {
            acknowledged.add(message);
        } else if (ack != null && ack.code() < 0x80) {
            faults.add("message " + message + " found no subscribers: code " + ack.code());
        }
    }

    private void churn(int version, Random random) throws IOException {
        try (TestClient client = churning(version)) {
            client.connect();
            while (client.isOpen()) {
                String filter = "s/" + version + '/' + random.nextInt(FILTERS);
                boolean subscribe = random.nextInt(3) > 0;
                subscribed.remove(filter);
                if (!subscribe) {
                    client.unsubscribe(filter);
                } else if (client.subscribe(filter, 1) != 1) {
                    continue;
                }
                subscribed.put(filter, subscribe);
            }
        }
    }

    private void lostMessages(String session, List<String> losses) throws IOException, InterruptedException {
        Set<String> have = received.get(session);
        try (TestClient client = subscriber(session)) {
            if (!client.connect().sessionPresent()) {
                losses.add("session " + session);
                return;
            }
            long giveUp = System.nanoTime() + PATIENCE.toNanos();
            int before = have.size();
            while (!have.containsAll(acknowledged) && System.nanoTime() < giveUp) {
                LockSupport.parkNanos(5_000_000);
                if (have.size() > before) {
                    before = have.size();
                    giveUp = System.nanoTime() + PATIENCE.toNanos();
                }
            }
            client.disconnect();
        }
        for (String message : acknowledged) {
            if (!have.contains(message)) {
                losses.add("message " + message + " for " + session);
            }
        }
    }

    private void lostRetained(List<String> losses) throws IOException, InterruptedException {
        Map<String, Long> missing = new HashMap<>(retained);
        ClientConfig config =
                ClientConfig.of(address, "reader-" + verifications, 5).withCleanSession();
        try (TestClient client = new TestClient(config)) {
            client.connect();
            client.subscribe("r/#", 1);
            while (!missing.isEmpty()) {
                Packet.Publish message = client.next(PATIENCE);
                if (message == null) {
                    break;
                }
                long found = Long.parseLong(text(message));
                missing.computeIfPresent(message.topic(), (topic, last) -> found >= last ? null : last);
            }
        }
        missing.forEach((topic, number) -> losses.add("retained " + number + " of " + topic));
    }

    private void lostSubscriptions(int version, List<String> losses) throws IOException, InterruptedException {
        String probe = "probe " + verifications;
        Set<String> missing = new HashSet<>();
        ClientConfig config =
                ClientConfig.of(address, "prober-" + version, version).withCleanSession();
        try (TestClient prober = new TestClient(config);
                TestClient client = churning(version)) {
            if (!client.connect().sessionPresent()) {
                losses.add("session churning-" + version);
                return;
            }
            prober.connect();
            String prefix = "s/" + version + '/';
            for (Map.Entry<String, Boolean> entry : subscribed.entrySet()) {
                if (entry.getKey().startsWith(prefix)) {
                    prober.publish(entry.getKey(), probe, 1);
                    if (entry.getValue()) {
                        missing.add(entry.getKey());
                    }
                }
            }
            Packet.Publish message;
            while ((message = client.next(missing.isEmpty() ? Duration.ofMillis(200) : PATIENCE)) != null) {
                if (!text(message).equals(probe)) {
                    continue;
                }
                missing.remove(message.topic());
                if (!subscribed.getOrDefault(message.topic(), true)) {
                    losses.add("unsubscription from " + message.topic());
                }
            }
            client.disconnect();
        }
        missing.forEach(filter -> losses.add("subscription to " + filter));
    }

    private TestClient subscriber(String session) {
        Set<String> have = received.get(session);
        return new TestClient(
                ClientConfig.of(address, session, sessions.get(session)),
                message -> have.add(text(message).strip()));
    }

    private TestClient churning(int version) {
        return new TestClient(ClientConfig.of(address, "churning-" + version, version));
    }

    private static String text(Packet.Publish message) {
        return new String(message.payload(), StandardCharsets.UTF_8);
    }
}
