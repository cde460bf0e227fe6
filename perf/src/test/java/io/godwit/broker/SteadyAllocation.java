package io.godwit.broker;

import com.sun.management.ThreadMXBean;
import io.godwit.broker.check.ConfigLoader;
import io.netty.util.ResourceLeakDetector;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Measures the heap that a message costs on its steady way through the broker, from one live client over TCP to
 * another: bytes that the event loops allocate for each, at QoS 0 and 1, with one message at a time and with many in
 * one segment. The whole broker runs in this process; this thread acts as both clients, on plain sockets, and is not
 * counted.
 */
public final class SteadyAllocation {
    private static final int PAYLOAD_BYTES = 32;
    private static final byte[] TOPIC = "plant/7/line/12/sensor/4711".getBytes(StandardCharsets.UTF_8);

    private SteadyAllocation() {}

    /**
     * One argument: the number of messages measured in each step, after as many for warming up; with one message at a
     * time a tenth of them.
     */
    public static void main(String[] args) throws Exception {
        int messages = args.length > 0 ? Integer.parseInt(args[0]) : 1_000_000;
        Path directory = Files.createTempDirectory("steady-");
        try {
            System.out.println(
                    "payload bytes " + PAYLOAD_BYTES + ", topic bytes " + TOPIC.length + ", java " + Runtime.version());
            bytesPerMessage(directory, messages)
                    .forEach((name, bytes) -> System.out.printf("%s: %.1f bytes each%n", name, bytes));
        } finally {
            try (Stream<Path> files = Files.walk(directory)) {
                for (Path each : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(each);
                }
            }
        }
        System.exit(0);
    }

    static Map<String, Double> bytesPerMessage(Path directory, int messages) throws Exception {
        Path file = Files.writeString(
                directory.resolve("standalone.yml"),
                "apiServerConfig: {enable: false}\nmqttServerConfig: {maxConnBandwidth: 0, tcpListener: {port: 0}}\n");
        Path data = Files.createDirectories(directory.resolve("data"));
        Map<String, Double> result = new LinkedHashMap<>();
        ResourceLeakDetector.Level before = ResourceLeakDetector.getLevel();
        ResourceLeakDetector.setLevel(
                ResourceLeakDetector.Level.SIMPLE); // the broker's level; that of tests keeps a trace of each buffer
        try (Broker broker = new Broker(ConfigLoader.load(file, Map.of()), data, directory.resolve("plugins"))) {
            int port = port(broker.start());
            for (int qos : new int[] {0, 1}) {
                for (int batch : new int[] {1, 64}) {
                    try (Pair pair = new Pair(port, qos)) {
                        int measured =
                                batch == 1 ? messages / 10 : messages / batch * batch; // one at a time takes long
                        pair.exchange(measured, batch);
                        long allocated = allocatedByLoops();
                        pair.exchange(measured, batch);
                        result.put(
                                "QoS " + qos + ", " + batch + " at a time",
                                (allocatedByLoops() - allocated) / (double) measured);
                    }
                }
            }
            return result;
        } finally {
            ResourceLeakDetector.setLevel(before);
        }
    }

    private static int port(List<String> told) {
        Matcher matcher = Pattern.compile("listening on tcp .*:(\\d+)").matcher(told.get(0));
        if (!matcher.find()) {
            throw new IllegalStateException("no port in " + told);
        }
        return Integer.parseInt(matcher.group(1));
    }

    private static long allocatedByLoops() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long[] loops = Arrays.stream(threads.getThreadInfo(threads.getAllThreadIds()))
                .filter(thread -> thread != null && thread.getThreadName().startsWith("mqtt-loop"))
                .mapToLong(ThreadInfo::getThreadId)
                .toArray();
        return Arrays.stream(threads.getThreadAllocatedBytes(loops)).sum();
    }

    /** A publisher and a subscriber of MQTT 3.1.1. */
    private static final class Pair implements AutoCloseable {
        private static final byte[] CONNACK = {0x20, 2, 0, 0};

        private final int qos;
        private final Socket publisher;
        private final Socket subscriber;
        private final DataInputStream acks;
        private final DataInputStream arrivals;
        private final int frameBytes;
        private int nextId;

        Pair(int port, int qos) throws IOException {
            this.qos = qos;
            publisher = connect(port, "publisher");
            subscriber = connect(port, "subscriber");
            acks = new DataInputStream(publisher.getInputStream());
            arrivals = new DataInputStream(subscriber.getInputStream());
            expect(acks, CONNACK);
            expect(arrivals, CONNACK);
            ByteBuffer subscribe = ByteBuffer.allocate(7 + TOPIC.length);
            subscribe.put((byte) 0x82).put((byte) (5 + TOPIC.length)).putShort((short) 1);
            subscribe.putShort((short) TOPIC.length).put(TOPIC).put((byte) qos);
            subscriber.getOutputStream().write(subscribe.array());
            expect(arrivals, new byte[] {(byte) 0x90, 3, 0, 1, (byte) qos});
            frameBytes = 4 + TOPIC.length + (qos > 0 ? 2 : 0) + PAYLOAD_BYTES;
        }

        private static Socket connect(int port, String id) throws IOException {
            Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
            socket.setTcpNoDelay(true);
            socket.setSoTimeout(20_000);
            byte[] name = id.getBytes(StandardCharsets.UTF_8);
            ByteBuffer connect = ByteBuffer.allocate(14 + name.length);
            connect.put((byte) 0x10)
                    .put((byte) (12 + name.length))
                    .putShort((short) 4)
                    .put("MQTT".getBytes(StandardCharsets.UTF_8));
            connect.put((byte) 4)
                    .put((byte) 2)
                    .putShort((short) 0)
                    .putShort((short) name.length)
                    .put(name);
            socket.getOutputStream().write(connect.array());
            return socket;
        }

        private static void expect(DataInputStream in, byte[] packet) throws IOException {
            byte[] read = in.readNBytes(packet.length);
            if (!Arrays.equals(read, packet)) {
                throw new IOException("expected " + Arrays.toString(packet) + ", got " + Arrays.toString(read));
            }
        }

        /** Sends {@code messages}; each batch when the one before has arrived and is acknowledged. */
        void exchange(int messages, int batch) throws IOException {
            OutputStream out = publisher.getOutputStream();
            ByteBuffer frames = ByteBuffer.allocate(batch * frameBytes);
            byte[] arrived = new byte[batch * frameBytes];
            ByteBuffer replies = ByteBuffer.allocate(batch * 4);
            byte[] acknowledged = new byte[batch * 4];
            for (int sent = 0; sent + batch <= messages; sent += batch) {
                frames.clear();
                for (int i = 0; i < batch; i++) {
                    append(frames);
                }
                out.write(frames.array());
                arrivals.readFully(arrived);
                if (qos > 0) {
                    replies.clear();
                    for (int i = 0; i < batch; i++) {
                        int at = i * frameBytes + 4 + TOPIC.length;
                        replies.put((byte) 0x40).put((byte) 2).put(arrived[at]).put(arrived[at + 1]);
                    }
                    subscriber.getOutputStream().write(replies.array());
                    acks.readFully(acknowledged);
                }
            }
        }

        private void append(ByteBuffer frames) {
            frames.put((byte) (0x30 | qos << 1)).put((byte) (frameBytes - 2));
            frames.putShort((short) TOPIC.length).put(TOPIC);
            if (qos > 0) {
                nextId = nextId % 65_535 + 1;
                frames.putShort((short) nextId);
            }
            frames.position(frames.position() + PAYLOAD_BYTES);
        }

        @Override
        public void close() throws IOException {
            publisher.close();
            subscriber.close();
        }
    }
}
