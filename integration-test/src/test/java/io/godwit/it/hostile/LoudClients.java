package io.godwit.it.hostile;

import io.godwit.it.wire.Packet;
import io.godwit.it.wire.PacketWriter;
import io.godwit.it.wire.Properties;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * The clients of the loud tenant. They run in a process of their own with the least priority, because clients have
 * machines of their own: the quiet tenant has to wait for what the broker does for them, not for their own work.
 *
 * <p>The process obeys lines of its standard input: {@code begin}, {@code end}, {@code counts}. It answers each with
 * one line, the counts, and ends with its input. Used by one thread.
 */
final class LoudClients implements AutoCloseable {
    private static final int SUBSCRIBERS = 10;
    /** More than its tenant may have. */
    private static final int PUBLISHERS = 100;
    /**
     * Each publisher hands over more messages, and a refused one connects again, after so many milliseconds on average.
     * The pauses differ, as those of clients with machines of their own do: in step, all would come at once.
     */
    private static final int PAUSE_MILLIS = 100;

    private static final Packet.Login LOUD = new Packet.Login("loud/user", "any");

    private final Process process;
    private final PrintStream commands;
    private final BufferedReader answers;

    /** What the clients were answered since the last {@code begin}. */
    private record Counts(int letIn, int refused, int acknowledged, int tooLarge) {
        static Counts of(String line) {
            String[] parts = line.split(" ", -1);
            return new Counts(
                    Integer.parseInt(parts[0]),
                    Integer.parseInt(parts[1]),
                    Integer.parseInt(parts[2]),
                    Integer.parseInt(parts[3]));
        }

        String line() {
            return "%d %d %d %d".formatted(letIn, refused, acknowledged, tooLarge);
        }

        @Override
        public String toString() {
            return "%d let in, %d refused, %d acknowledged, %d too large"
                    .formatted(letIn, refused, acknowledged, tooLarge);
        }
    }

    private LoudClients(Process process) {
        this.process = process;
        commands = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
        answers = process.inputReader(StandardCharsets.UTF_8);
    }

    /** Starts the process. Its clients do not connect yet. */
    static LoudClients of(InetSocketAddress broker) throws IOException {
        return new LoudClients(new ProcessBuilder(
                        "nice",
                        "-n",
                        "19",
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseSerialGC",
                        "-Dlogback.configurationFile=logback-node.xml",
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        LoudClients.class.getName(),
                        Integer.toString(broker.getPort()))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start());
    }

    /** Its clients connect, and do what they may not, until {@link #end}. */
    void begin() {
        say("begin");
    }

    boolean isAtItsLimits(int connections) {
        Counts counts = say("counts");
        return counts.letIn >= connections && counts.refused > 0 && counts.tooLarge > 0 && counts.acknowledged > 0;
    }

    /** Closes all connections; says what the clients were answered. */
    String end() {
        return say("end").toString();
    }

    @Override
    public String toString() {
        return say("counts").toString();
    }

    private Counts say(String command) {
        commands.println(command);
        try {
            String line = answers.readLine();
            if (line == null) {
                throw new IllegalStateException("the process of the loud clients has ended");
            }
            return Counts.of(line);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Ends the process. */
    @Override
    public void close() {
        commands.close();
        try {
            if (!process.waitFor(10, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }

    /** The process. Its argument is the port of the broker. */
    public static void main(String[] args) throws IOException {
        InetSocketAddress broker = new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(args[0]));
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintStream answers = System.out;
        System.setOut(System.err); // a library that logs does not answer
        Noise noise = new Noise();
        String command;
        while ((command = commands.readLine()) != null) {
            if (command.equals("begin")) {
                noise.close();
                noise = new Noise();
                noise.begin(broker);
            } else if (command.equals("end")) {
                noise.close();
            }
            answers.println(noise.counts().line());
        }
        noise.close();
    }

    /** The clients themselves. */
    private static final class Noise {
        private final Swarm swarm = new Swarm();
        private final Random random = new Random(1);
        private final AtomicInteger letIn = new AtomicInteger();
        private final AtomicInteger refused = new AtomicInteger();
        private final AtomicInteger tooLarge = new AtomicInteger();
        private final AtomicInteger acknowledged = new AtomicInteger();

        Counts counts() {
            return new Counts(letIn.get(), refused.get(), acknowledged.get(), tooLarge.get());
        }

        void close() {
            swarm.close();
        }

        void begin(InetSocketAddress broker) {
            swarm.keep(
                    broker,
                    SUBSCRIBERS,
                    this::pauseMillis,
                    number -> new Client(
                            "subscriber-" + number,
                            peer -> Attacks.subscribes(List.of("noise/#"), 1).forEach(peer::send)));
            byte[] some = publish(500, 0, 0);
            byte[] acknowledgedOne = publish(500, 1, 1);
            byte[] large = publish(2_000, 1, 2);
            swarm.keep(
                    broker,
                    PUBLISHERS,
                    this::pauseMillis,
                    number -> new Client("publisher-" + number, peer -> flood(peer, some, acknowledgedOne, large)));
        }

        private static byte[] publish(int bytes, int qos, int packetId) {
            return PacketWriter.bytes(
                    new Packet.Publish("noise/t", new byte[bytes], qos, false, false, packetId, Properties.NONE), 5);
        }

        private int pauseMillis() {
            return PAUSE_MILLIS / 2 + random.nextInt(PAUSE_MILLIS);
        }

        /** Hands over as much as the socket takes, ten times a second. */
        private void flood(Swarm.Peer peer, byte[] some, byte[] acknowledgedOne, byte[] large) {
            for (int i = 0; i < 50 && !peer.isFull(); i++) {
                peer.send(some);
            }
            if (!peer.isFull()) {
                peer.send(acknowledgedOne);
                peer.send(large);
            }
            peer.later(pauseMillis(), () -> flood(peer, some, acknowledgedOne, large));
        }

        private final class Client extends ScannedClient {
            private final Consumer<Swarm.Peer> then;

            Client(String clientId, Consumer<Swarm.Peer> then) {
                super(Attacks.login(clientId, true, LOUD, none -> none));
                this.then = then;
            }

            @Override
            void packet(Swarm.Peer peer, int first, byte[] head) {
                if (first == 0x20 && head[1] != 0) {
                    refused.incrementAndGet();
                } else if (first == 0x20) {
                    letIn.incrementAndGet();
                    then.accept(peer);
                } else if (first == 0x40) {
                    ((head[2] & 0xFF) == 0x97 ? tooLarge : acknowledged).incrementAndGet();
                }
                head[2] = 0; // a PUBACK without a reason has two bytes: the third would be that of an earlier packet
            }
        }
    }
}
