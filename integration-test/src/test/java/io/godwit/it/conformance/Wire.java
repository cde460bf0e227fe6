package io.godwit.it.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.wire.Hex;
import io.godwit.it.wire.Packet;
import io.godwit.it.wire.Packet.Ack;
import io.godwit.it.wire.PacketReader;
import io.godwit.it.wire.PacketWriter;
import io.godwit.it.wire.Properties;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * One connection that sends what the test says and nothing else, and shows every packet that comes, in order. It
 * blocks, at most ten seconds; {@link PacketReader} refuses what breaks the format.
 */
final class Wire implements AutoCloseable {
    private static final int PATIENCE_MILLIS = 10_000;

    private static final AtomicInteger NAMES = new AtomicInteger();

    /** Counts tests, which begin at one node after the other. */
    private static final AtomicInteger TESTS = new AtomicInteger();

    /** Of the test that runs on this thread. */
    private static final ThreadLocal<@Nullable Course> COURSE = new ThreadLocal<>();

    /** Where the connections of one test go. */
    private record Course(Transport transport, List<InetSocketAddress> addresses, NodeChoice nodes) {}

    private final Course course = Objects.requireNonNull(COURSE.get(), "no test of a transport on this thread");
    private final int version;
    /** Opened for the first packet: a CONNECT says whose it is, and with that where it goes. Null before. */
    private Transport.@Nullable Opened opened;

    private int node;
    private boolean isClosed;

    private Wire(int version) {
        this.version = version;
    }

    /** What connections of the test that begins on this thread go over, and where to. */
    static void over(Transport transport, List<InetSocketAddress> addresses) {
        int first = Math.floorMod(TESTS.getAndIncrement(), addresses.size());
        COURSE.set(new Course(transport, addresses, new NodeChoice(addresses.size(), first)));
    }

    /** A client id or topic that no other test has. */
    static String unique(String name) {
        return name + NAMES.incrementAndGet();
    }

    /** @param version 3, 4 or 5, what packets are written and read in */
    static Wire open(int version) {
        return new Wire(version);
    }

    /** Connected with a session that ends with the connection. */
    static Wire clean(int version, String clientId) throws IOException {
        return connected(new Packet.Connect(version, clientId, true, 0, Properties.NONE, null));
    }

    /** Connected with a session that outlives the connection by an hour. */
    static Wire kept(int version, String clientId) throws IOException {
        return connected(keeping(version, clientId));
    }

    static Packet.Connect keeping(int version, String clientId) {
        Properties properties = version == 5 ? Properties.NONE.with(Properties.SESSION_EXPIRY, 3600) : Properties.NONE;
        return new Packet.Connect(version, clientId, false, 0, properties, null);
    }

    static Wire connected(Packet.Connect connect) throws IOException {
        Wire wire = new Wire(connect.version());
        assertThat(wire.connect(connect).code()).isZero();
        return wire;
    }

    Packet.Connack connect(Packet.Connect connect) throws IOException {
        send(connect);
        return expect(Packet.Connack.class);
    }

    void send(Packet... packets) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (Packet packet : packets) {
            bytes.writeBytes(PacketWriter.bytes(packet, version));
        }
        connection(packets[0] instanceof Packet.Connect connect ? connect.clientId() : "")
                .out()
                .write(bytes.toByteArray());
    }

    void send(byte[] bytes) throws IOException {
        connection("").out().write(bytes);
    }

    private Transport.Opened connection(String clientId) throws IOException {
        Transport.Opened connection = opened;
        if (connection == null) {
            node = course.nodes().next(clientId);
            connection = course.transport().open(course.addresses().get(node), PATIENCE_MILLIS);
            opened = connection;
        }
        return connection;
    }

    /** See {@link Hex#bytes}. */
    static byte[] bytes(String hex) {
        return Hex.bytes(hex);
    }

    /** See {@link Hex#frame}. */
    static byte[] frame(String hex) {
        return Hex.frame(hex);
    }

    // ---- what is sent

    static Packet.Publish message(int packetId, int qos, String topic, String payload) {
        return message(packetId, qos, false, topic, payload);
    }

    static Packet.Publish message(int packetId, int qos, boolean retain, String topic, String payload) {
        return message(packetId, qos, retain, topic, payload, Properties.NONE);
    }

    static Packet.Publish message(
            int packetId, int qos, boolean retain, String topic, String payload, Properties properties) {
        return new Packet.Publish(
                topic, payload.getBytes(StandardCharsets.UTF_8), qos, false, retain, packetId, properties);
    }

    /** Publishes through every step of its QoS; returns the reason code of the first answer. */
    int publish(Packet.Publish publish) throws IOException {
        send(publish);
        if (publish.qos() == 0) {
            return 0;
        }
        Ack ack = expectAck(publish.qos() == 1 ? Ack.Kind.PUBACK : Ack.Kind.PUBREC, publish.packetId());
        if (publish.qos() == 2 && ack.code() < 0x80) {
            send(new Ack(Ack.Kind.PUBREL, publish.packetId(), 0));
            assertThat(expectAck(Ack.Kind.PUBCOMP, publish.packetId()).code()).isZero();
        }
        return ack.code();
    }

    List<Integer> subscribe(int packetId, Packet.Request... filters) throws IOException {
        return subscribe(packetId, Properties.NONE, filters);
    }

    List<Integer> subscribe(int packetId, Properties properties, Packet.Request... filters) throws IOException {
        send(new Packet.Subscribe(packetId, List.of(filters), properties));
        Packet.Suback suback = expect(Packet.Suback.class);
        assertThat(suback.packetId()).isEqualTo(packetId);
        return suback.codes();
    }

    void subscribe(int packetId, String filter, int options) throws IOException {
        assertThat(subscribe(packetId, new Packet.Request(filter, options))).containsExactly(options & 3);
    }

    List<Integer> unsubscribe(int packetId, String... filters) throws IOException {
        send(new Packet.Unsubscribe(packetId, List.of(filters)));
        Packet.Unsuback unsuback = expect(Packet.Unsuback.class);
        assertThat(unsuback.packetId()).isEqualTo(packetId);
        return unsuback.codes();
    }

    void acknowledge(Packet.Publish publish) throws IOException {
        send(new Ack(publish.qos() == 1 ? Ack.Kind.PUBACK : Ack.Kind.PUBREC, publish.packetId(), 0));
        if (publish.qos() == 2) {
            expectAck(Ack.Kind.PUBREL, publish.packetId());
            send(new Ack(Ack.Kind.PUBCOMP, publish.packetId(), 0));
        }
    }

    // ---- what comes

    /** The next packet; null when the server has closed the connection. */
    @Nullable
    Packet read() throws IOException {
        try {
            return PacketReader.read(connection("").in(), version);
        } catch (SocketException e) {
            return null; // reset
        }
    }

    <P extends Packet> P expect(Class<P> type) throws IOException {
        Packet packet = read();
        assertThat(packet).isInstanceOf(type);
        return type.cast(packet);
    }

    Ack expectAck(Ack.Kind kind, int packetId) throws IOException {
        Ack ack = expect(Ack.class);
        assertThat(ack.kind()).isEqualTo(kind);
        assertThat(ack.packetId()).isEqualTo(packetId);
        return ack;
    }

    Packet.Publish expectMessage() throws IOException {
        return expect(Packet.Publish.class);
    }

    Packet.Publish expectMessage(String payload) throws IOException {
        Packet.Publish publish = expectMessage();
        assertThat(payload(publish)).isEqualTo(payload);
        return publish;
    }

    static String payload(Packet.Publish publish) {
        return new String(publish.payload(), StandardCharsets.UTF_8);
    }

    /** The payloads of the next messages, each acknowledged as it comes. */
    List<String> take(int messages) throws IOException {
        List<String> payloads = new ArrayList<>();
        for (int i = 0; i < messages; i++) {
            Packet.Publish publish = expectMessage();
            payloads.add(payload(publish));
            if (publish.qos() > 0) {
                acknowledge(publish);
            }
        }
        return payloads;
    }

    /** Nothing has been sent to this connection that has not been read: PINGRESP is what comes next. */
    void expectNothing() throws IOException {
        send(new Packet.PingRequest());
        expect(Packet.PingResponse.class);
    }

    /** The server closes the connection without another packet. */
    void expectEnd() throws IOException {
        assertThat(read()).isNull();
    }

    /** In 5.0 DISCONNECT of this reason, and then, as before 5.0 at once, the end of the connection. */
    void expectDisconnect(int code) throws IOException {
        if (version == 5) {
            assertThat(expect(Packet.Disconnect.class).code()).isEqualTo(code);
        }
        expectEnd();
    }

    /** Ends the connection properly, and waits until the server has closed its side. */
    void disconnect() throws IOException {
        disconnect(0, Properties.NONE);
    }

    void disconnect(int code, Properties properties) throws IOException {
        send(new Packet.Disconnect(code, properties));
        expectEnd();
        close();
    }

    /** Without DISCONNECT. */
    @Override
    public void close() throws IOException {
        if (opened != null && !isClosed) {
            isClosed = true;
            course.nodes().closed(node);
            opened.socket().close();
        }
    }
}
