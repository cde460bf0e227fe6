package io.godwit.it.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.client.ClientConfig;
import io.godwit.it.client.TestClient;
import io.godwit.it.hostile.Victim.Limit;
import io.godwit.it.wire.Packet;
import io.godwit.it.wire.PacketWriter;
import io.godwit.it.wire.Properties;
import io.godwit.testing.Await;
import io.godwit.testing.Pace;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sessions with thousands of filters, hundreds of thousands of retained messages, and subscribers that do not read. */
class HostileSubscribersTest {
    @RegisterExtension
    static final Victim VICTIM = new Victim();

    private static ClientConfig client(String clientId, boolean clean) {
        ClientConfig config = ClientConfig.of(VICTIM.address(), clientId, 5);
        return clean ? config.withCleanSession() : config;
    }

    // ---- filters

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void manyFiltersOfOneSessionComeAndGo(boolean clean) throws Exception {
        filters(Limit.BESIDE_CONTROL, 1_000, clean);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Tag("long")
    void tenThousandFiltersOfOneSessionComeAndGo(boolean clean) throws Exception {
        filters(Limit.STRICT, 10_000, clean);
    }

    /** In one SUBSCRIBE, and in many; unsubscribed, and left to end with the session. */
    private static void filters(Limit limit, int count, boolean clean) throws Exception {
        List<String> filters = IntStream.range(0, count)
                .mapToObj(number -> "filters/" + number + (number % 2 == 0 ? "/+/x" : "/#"))
                .toList();
        VICTIM.withstands(count + " filters, clean " + clean, limit, () -> {
            try (TestClient many = new TestClient(client("filters-" + clean + count, clean));
                    TestClient publisher = new TestClient(client("filters-publisher", true))) {
                publisher.connect();
                many.connect();
                assertThat(many.subscribe(requests(filters), Properties.NONE))
                        .hasSize(count)
                        .containsOnly(1);
                publisher.publish("filters/" + (count - 1) + "/end", "one", 1);
                assertThat(many.next(Await.PATIENCE)).isNotNull();
                List<String> reversed = new ArrayList<>(filters);
                Collections.reverse(reversed);
                for (int round = 0; round < 5; round++) {
                    assertThat(many.unsubscribe(reversed)).hasSize(count).containsOnly(0);
                    many.subscribe(requests(filters), Properties.NONE);
                }
                many.unsubscribe(filters);
                for (int from = 0; from < count; from += 100) {
                    many.subscribe(requests(filters.subList(from, from + 100)), Properties.NONE);
                }
                publisher.publish("filters/" + (count - 1) + "/end", "two", 1);
                assertThat(many.next(Await.PATIENCE)).isNotNull();
                many.disconnect();
                if (!clean) {
                    assertThat(many.connect().sessionPresent()).isTrue();
                    publisher.publish("filters/" + (count - 1) + "/end", "three", 1);
                    assertThat(many.next(Await.PATIENCE)).isNotNull();
                    many.disconnect();
                }
            }
            try (TestClient end = new TestClient(client("filters-" + clean + count, true))) {
                end.connect(); // anew: nothing of it is left
                end.disconnect();
            }
        });
    }

    @ParameterizedTest
    @Tag("full")
    @Tag("alone")
    @ValueSource(booleans = {true, false})
    void aSessionOfManyFiltersSubscribesOneByOne(boolean clean) throws Exception {
        oneByOne(Limit.BESIDE_CONTROL, 300, clean);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Tag("long")
    void aSessionOfTenThousandFiltersSubscribesOneByOne(boolean clean) throws Exception {
        oneByOne(Limit.STRICT, 10_000, clean);
    }

    /**
     * Each filter again with a packet of its own, all sent without a look at the answers; then as many UNSUBSCRIBEs.
     */
    private static void oneByOne(Limit limit, int count, boolean clean) throws Exception {
        List<String> filters = IntStream.range(0, count)
                .mapToObj(number -> "one/" + number + "/+")
                .toList();
        Properties session = clean ? Properties.NONE : Properties.NONE.with(Properties.SESSION_EXPIRY, 3600);
        byte[] connect = PacketWriter.bytes(new Packet.Connect(5, "one-by-one-" + count, true, 0, session, null), 5);
        byte[] disconnect =
                PacketWriter.bytes(new Packet.Disconnect(0, Properties.NONE.with(Properties.SESSION_EXPIRY, 0)), 5);
        VICTIM.withstands(count + " filters one by one, clean " + clean, limit, () -> {
            try (Swarm swarm = new Swarm()) {
                AtomicInteger answers = new AtomicInteger();
                CompletableFuture<Swarm.Peer> opened = new CompletableFuture<>();
                swarm.open(VICTIM.address(), new Swarm.Manner() {
                    private final PacketScanner scanner = new PacketScanner((first, head) -> answers.incrementAndGet());

                    @Override
                    public void opened(Swarm.Peer peer) {
                        opened.complete(peer);
                    }

                    @Override
                    public void received(Swarm.Peer peer, ByteBuf bytes) {
                        scanner.add(bytes);
                    }
                });
                Swarm.Peer peer = opened.get(10, TimeUnit.SECONDS);
                peer.send(connect);
                peer.send(PacketWriter.bytes(new Packet.Subscribe(1, requests(filters), Properties.NONE), 5));
                Await.until("CONNACK and SUBACK", () -> answers.get() == 2);
                long begin = System.nanoTime();
                for (int i = 0; i < count; i++) {
                    List<Packet.Request> one = List.of(new Packet.Request(filters.get(i), i % 2));
                    peer.send(PacketWriter.bytes(new Packet.Subscribe(1 + i, one, Properties.NONE), 5));
                }
                Await.until("a SUBACK for each", () -> answers.get() == 2 + count);
                long subscribed = System.nanoTime();
                for (int i = 0; i < count; i++) {
                    List<String> one = List.of(filters.get(i));
                    peer.send(PacketWriter.bytes(new Packet.Unsubscribe(1 + i, one), 5));
                }
                Await.until("an UNSUBACK for each", () -> answers.get() == 2 + 2 * count);
                System.out.printf(
                        "%d SUBSCRIBEs in %d ms, %d UNSUBSCRIBEs in %d ms%n",
                        count, (subscribed - begin) / 1_000_000, count, (System.nanoTime() - subscribed) / 1_000_000);
                peer.send(disconnect);
                Await.until("closed", () -> swarm.closed() == 1);
            }
        });
    }

    private static List<Packet.Request> requests(List<String> filters) {
        return filters.stream().map(filter -> new Packet.Request(filter, 1)).toList();
    }

    // ---- retained messages

    @Test
    @Tag("full")
    @Tag("alone")
    void aFloodOfRetainedMessagesReachesWhoWantsThemAll() throws Exception {
        retained(Limit.BESIDE_CONTROL, 4_000);
    }

    @Test
    @Tag("long")
    void twoHundredThousandRetainedMessagesReachWhoWantsThemAll() throws Exception {
        retained(Limit.STRICT, 200_000);
    }

    /** One subscriber reads as fast as it can; ten read nothing at all, and one a little at a time. */
    private static void retained(Limit limit, int messages) throws Exception {
        byte[] payload = new byte[100];
        VICTIM.withstands(messages + " retained messages", limit, () -> {
            publishRetained(messages, payload);
            try (Swarm swarm = new Swarm()) {
                for (int i = 0; i < 10; i++) {
                    swarm.open(VICTIM.address(), new Deaf("retained-deaf-" + i, "retained/#", 1, false));
                }
                swarm.open(VICTIM.address(), new Deaf("retained-slow", "retained/#", 1, true));
                BitSet seen = new BitSet();
                AtomicInteger repeated = new AtomicInteger();
                AtomicInteger received = new AtomicInteger();
                long begin = System.nanoTime();
                try (TestClient fast = new TestClient(client("retained-fast", true), publish -> {
                    int number = Integer.parseInt(publish.topic().substring("retained/".length()));
                    if (seen.get(number)) {
                        repeated.incrementAndGet();
                    }
                    seen.set(number);
                    received.incrementAndGet();
                })) {
                    fast.connect();
                    assertThat(fast.subscribe("retained/#", 1)).isEqualTo(1);
                    Await.until("all retained messages", () -> received.get() >= messages);
                    assertThat(seen.cardinality()).isEqualTo(messages);
                    assertThat(repeated.get()).isZero();
                    fast.disconnect();
                }
                System.out.printf(
                        "%d retained messages received in %d ms%n", messages, (System.nanoTime() - begin) / 1_000_000);
            }
            publishRetained(messages, new byte[0]);
        });
    }

    /** Over four connections, 500 unacknowledged at most on each. */
    private static void publishRetained(int messages, byte[] payload) throws Exception {
        long begin = System.nanoTime();
        CompletableFuture<?>[] done = new CompletableFuture<?>[4];
        for (int part = 0; part < done.length; part++) {
            int from = messages / done.length * part;
            int to = messages / done.length * (part + 1);
            String clientId = "retained-publisher-" + part;
            done[part] = CompletableFuture.runAsync(() -> {
                try (TestClient publisher =
                        new TestClient(client(clientId, true).withWindow(500))) {
                    publisher.connect();
                    for (int number = from; number < to; number++) {
                        while (!publisher.canPublish()) {
                            publisher.flush();
                            Pace.passNanos(200_000);
                        }
                        publisher.publish("retained/" + number, payload, 1, true, Properties.NONE);
                    }
                    publisher.flush();
                    Await.until("acknowledged", () -> publisher.unacknowledged() == 0);
                    publisher.disconnect();
                } catch (IOException e) {
                    throw new IllegalStateException(e);
                }
            });
        }
        CompletableFuture.allOf(done).get(10, TimeUnit.MINUTES);
        System.out.printf("%d retained published in %d ms%n", messages, (System.nanoTime() - begin) / 1_000_000);
    }

    /**
     * Subscribes and then reads nothing, or for an instant ten times a second; acknowledges what it has read when it is
     * made to listen.
     */
    private static final class Deaf implements Swarm.Manner {
        private final String clientId;
        private final byte[] subscribe;
        private final boolean isSlow;
        private final PacketScanner scanner = new PacketScanner(this::packet);
        private volatile Swarm.@Nullable Peer peer;
        private volatile boolean isSubscribed;
        private volatile int received;
        private final Queue<Integer> unacknowledged = new ArrayDeque<>();
        private boolean isListening;

        Deaf(String clientId, String filter, int qos, boolean isSlow) {
            this.clientId = clientId;
            this.subscribe = PacketWriter.bytes(
                    new Packet.Subscribe(1, List.of(new Packet.Request(filter, qos)), Properties.NONE), 4);
            this.isSlow = isSlow;
        }

        @Override
        public void opened(Swarm.Peer opened) {
            peer = opened;
            opened.send(PacketWriter.bytes(new Packet.Connect(4, clientId, true, 0, Properties.NONE, null), 4));
        }

        @Override
        public void received(Swarm.Peer from, ByteBuf bytes) {
            scanner.add(bytes);
            if (isSubscribed && !isListening) {
                from.read(false);
                if (isSlow) {
                    from.later(100, () -> from.read(true));
                }
            }
        }

        @SuppressWarnings({"NonAtomicOperationOnVolatileField", "NonAtomicVolatileUpdate"
        }) // written by the swarm's thread alone
        private void packet(int first, byte[] head) {
            Swarm.Peer own = Objects.requireNonNull(peer);
            switch (first >> 4) {
                case 2 -> own.send(subscribe);
                case 9 -> isSubscribed = true;
                case 3 -> {
                    received++;
                    unacknowledged.add(PacketScanner.packetId(first, head));
                    if (isListening) {
                        acknowledge();
                    }
                }
                default -> {}
            }
        }

        private void acknowledge() {
            for (int packetId = take(); packetId >= 0; packetId = take()) {
                if (packetId > 0) {
                    Objects.requireNonNull(peer)
                            .send(PacketWriter.bytes(new Packet.Ack(Packet.Ack.Kind.PUBACK, packetId, 0), 4));
                }
            }
        }

        private int take() {
            Integer packetId = unacknowledged.poll();
            return packetId == null ? -1 : packetId;
        }

        /** From now on it reads all there is. */
        void listen() {
            Swarm.Peer own = Objects.requireNonNull(peer);
            own.later(0, () -> {
                isListening = true;
                acknowledge();
                own.read(true);
            });
        }
    }

    // ---- slow readers

    @Test
    @Tag("full")
    @Tag("alone")
    void subscribersThatDoNotReadCostLittleAndHarmNobody() throws Exception {
        slowReaders(Limit.BESIDE_CONTROL, 20, 20);
    }

    @Test
    @Tag("long")
    void manySubscribersThatDoNotReadCostLittleAndHarmNobody() throws Exception {
        slowReaders(Limit.STRICT, 200, 200);
    }

    /**
     * @param mebibytes published, half at QoS 0 and half at QoS 1
     */
    private static void slowReaders(Limit limit, int readers, int mebibytes) throws Exception {
        VICTIM.withstands(readers + " that do not read", limit, () -> {
            VICTIM.tellsAll();
            long droppedBefore = VICTIM.events("dropped");
            Vitals before = VICTIM.probe().vitals();
            List<Deaf> deaf = IntStream.range(0, readers)
                    .mapToObj(number -> new Deaf("slow-" + number, "slow/" + number % 2, number % 2, false))
                    .toList();
            try (Swarm swarm = new Swarm();
                    TestClient publisher = new TestClient(client("slow-publisher", true))) {
                deaf.forEach(each -> swarm.open(VICTIM.address(), each));
                publisher.connect();
                Await.until("all subscribed", () -> deaf.stream().allMatch(each -> each.isSubscribed));
                byte[] payload = "x".repeat(1024).getBytes(StandardCharsets.UTF_8);
                int messages = mebibytes * 1024;
                for (int number = 0; number < messages; number++) {
                    while (!publisher.canPublish()) {
                        publisher.flush();
                        Pace.passNanos(200_000);
                    }
                    publisher.publish("slow/" + number % 2, payload, number % 2, false, Properties.NONE);
                }
                publisher.flush();
                Await.until("acknowledged", () -> publisher.unacknowledged() == 0);
                Vitals under = VICTIM.probe().vitals();
                System.out.println("under slow readers: " + under);
                assertThat(under.heap() + under.direct())
                        .as("bytes held for %d that do not read", readers)
                        .isLessThan(before.heap() + before.direct() + readers * (3L << 20));
                // nothing has gone without a word: each message has come or been counted
                deaf.forEach(Deaf::listen);
                long expected = (long) messages / 2 * readers;
                boolean all = Await.comesToHold(
                        Await.PATIENCE, () -> received(deaf) + VICTIM.events("dropped") - droppedBefore == expected);
                System.out.printf(
                        "received %d, dropped %d%n", received(deaf), VICTIM.events("dropped") - droppedBefore);
                assertThat(all).as("received or dropped: %d", expected).isTrue();
                assertThat(VICTIM.events("dropped")).isGreaterThan(droppedBefore);
                publisher.disconnect();
            }
        });
    }

    private static long received(List<Deaf> deaf) {
        return deaf.stream().mapToLong(each -> each.received).sum();
    }
}
