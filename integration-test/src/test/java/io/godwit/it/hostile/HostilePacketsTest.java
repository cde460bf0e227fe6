package io.godwit.it.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.broker.Ports;
import io.godwit.it.hostile.Victim.Limit;
import io.godwit.it.wire.Packet;
import io.godwit.it.wire.PacketWriter;
import io.godwit.it.wire.Properties;
import io.godwit.testing.Await;
import io.godwit.testing.Pace;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Large packets, many at once: the memory of the whole process stays within bounds, and comes back by itself. */
class HostilePacketsTest {
    @RegisterExtension
    static final Victim VICTIM = new Victim();

    private static final long PEAK_LIMIT = 1536L << 20;
    private static final long REST_LIMIT = 300L << 20;
    private static final int CLIENTS = 1000;
    private static final int ANNOUNCERS = 20;

    /** PUBLISH of QoS 1 to the topic "big", up to its payload of a MiB. */
    private static final byte[] HEAD = {0x32, (byte) 0x88, (byte) 0x80, 0x40, 0, 3, 'b', 'i', 'g', 0, 1, 0};

    private static final byte[] PAYLOAD = new byte[1 << 20];

    @TempDir
    private static Path directory;

    /** While others have announced packets of 256 MB, and send them a little at a time. */
    @Test
    void aHundredLargePacketsAtOnceHarmNobody() throws Exception {
        VICTIM.withstands("100 packets of a MiB", Limit.BESIDE_CONTROL, () -> {
            try (Swarm swarm = new Swarm()) {
                announce(swarm, VICTIM.generous());
                List<Sender> senders = connect(swarm, VICTIM.address(), 100);
                senders.forEach(Sender::send);
                Await.until("all acknowledged", () -> senders.stream().allMatch(each -> each.isAcknowledged));
                assertThat(senders).as("connections that ended").noneMatch(each -> each.isClosed);
            }
        });
    }

    private static void announce(Swarm swarm, InetSocketAddress address) {
        for (int i = 0; i < ANNOUNCERS; i++) {
            swarm.open(address, new Announcer("announcer-" + i));
        }
    }

    private static List<Sender> connect(Swarm swarm, InetSocketAddress address, int clients) {
        List<Sender> senders = IntStream.range(0, clients)
                .mapToObj(number -> new Sender("sender-" + number))
                .toList();
        swarm.open(address, clients, senders::get);
        Await.until("all connected", () -> senders.stream().allMatch(each -> each.isConnected));
        return senders;
    }

    /** The same, ten times as many. */
    @Test
    @Tag("long")
    void aThousandLargePacketsAtOnceTakeLittleMemoryAndGiveItBack() throws Exception {
        InetSocketAddress generous = Ports.free();
        try (BrokerProcess broker = new BrokerProcess(directory)
                .longLived()
                .environment("JVM_HEAP_OPTS", "") // the start script's own
                .jvmOption("-XX:G1PeriodicGCInterval=3000") // sooner than the start script has it
                .listener("{host: 127.0.0.1, port: " + generous.getPort() + ", maxPacketBytes: 268435455}")) {
            broker.start();
            try (ResidentMemory memory = new ResidentMemory(Objects.requireNonNull(broker.handle()));
                    Canary canary = Canary.singing(broker.address());
                    Swarm swarm = new Swarm()) {
                long atRest = memory.now();
                announce(swarm, generous);
                List<Sender> senders = connect(swarm, broker.address(), CLIENTS);
                long connected = memory.now();
                long begin = System.nanoTime();
                senders.forEach(Sender::send);
                Await.until("all acknowledged", () -> senders.stream().allMatch(each -> each.isAcknowledged));
                long sent = System.nanoTime();
                // each in its turn: a gigabyte is on its way through, and other connections wait for theirs
                Canary.Song times = canary.end().within(Duration.ofSeconds(5));
                assertThat(senders).as("connections that ended").noneMatch(each -> each.isClosed);
                boolean hasFallen = Await.comesToHold(Await.PATIENCE, () -> memory.now() < REST_LIMIT);
                System.out.printf(
                        "%d packets of a MiB: %d ms; %s%n  resident: %d MiB at rest, %d connected, %d at most, "
                                + "%d after %d ms%n",
                        CLIENTS,
                        (sent - begin) / 1_000_000,
                        times,
                        atRest >> 20,
                        connected >> 20,
                        memory.peak() >> 20,
                        memory.now() >> 20,
                        (System.nanoTime() - sent) / 1_000_000);
                assertThat(memory.peak()).isLessThan(PEAK_LIMIT);
                assertThat(hasFallen)
                        .as("fallen from %d to %d", memory.peak(), memory.now())
                        .isTrue();
            }
        }
    }

    /** Sends one large message. */
    private static final class Sender implements Swarm.Manner {
        private final String clientId;
        private final PacketScanner scanner = new PacketScanner(this::packet);
        private volatile Swarm.@Nullable Peer peer;
        private volatile boolean isConnected;
        private volatile boolean isAcknowledged;
        private volatile boolean isClosed;

        Sender(String clientId) {
            this.clientId = clientId;
        }

        @Override
        public void opened(Swarm.Peer opened) {
            peer = opened;
            opened.send(PacketWriter.bytes(new Packet.Connect(5, clientId, true, 0, Properties.NONE, null), 5));
        }

        @Override
        public void received(Swarm.Peer from, ByteBuf bytes) {
            scanner.add(bytes);
        }

        @Override
        public void closed() {
            isClosed = true;
        }

        private void packet(int first, byte[] head) {
            isConnected |= first >> 4 == 2;
            isAcknowledged |= first >> 4 == 4 && head[2] < 0x20;
        }

        void send() {
            Swarm.Peer own = peer;
            if (own != null) {
                own.send(HEAD);
                own.send(PAYLOAD);
            }
        }
    }

    /** Announces 256 MB and sends a little of it at a time; who keeps others waiting so is cut off after a while. */
    private static final class Announcer implements Swarm.Manner {
        private static final byte[] BEGINNING = {0x30, (byte) 0xF0, (byte) 0xFF, (byte) 0xFF, 0x7F, 0, 1, 'x', 0};
        private final String clientId;
        private boolean hasBegun;

        Announcer(String clientId) {
            this.clientId = clientId;
        }

        @Override
        public void opened(Swarm.Peer peer) {
            peer.send(PacketWriter.bytes(new Packet.Connect(5, clientId, true, 0, Properties.NONE, null), 5));
        }

        @Override
        public void received(Swarm.Peer peer, ByteBuf bytes) {
            if (!hasBegun) {
                hasBegun = true;
                peer.send(BEGINNING);
                trickle(peer);
            }
        }

        private static void trickle(Swarm.Peer peer) {
            peer.send(new byte[1000]);
            peer.later(200, () -> trickle(peer));
        }
    }

    /** Of a process; sampled all the time. */
    private static final class ResidentMemory implements AutoCloseable {
        private final Path status;
        private final AtomicLong peak = new AtomicLong();
        private volatile boolean isOver;

        ResidentMemory(ProcessHandle process) {
            status = Path.of("/proc", Long.toString(process.pid()), "status");
            Thread sampling = new Thread(() -> {
                while (!isOver) {
                    peak.accumulateAndGet(now(), Math::max);
                    Pace.passNanos(20_000_000);
                }
            });
            sampling.setDaemon(true);
            sampling.start();
        }

        long now() {
            try {
                return Files.readAllLines(status).stream()
                        .filter(line -> line.startsWith("VmRSS:"))
                        .mapToLong(line -> 1024 * Long.parseLong(line.replaceAll("\\D", "")))
                        .sum();
            } catch (IOException e) {
                return 0;
            }
        }

        long peak() {
            return peak.get();
        }

        @Override
        public void close() {
            isOver = true;
        }
    }
}
