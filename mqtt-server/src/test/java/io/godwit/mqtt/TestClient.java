package io.godwit.mqtt;

import io.godwit.mqtt.codec.PacketDecoder;
import io.godwit.mqtt.codec.PacketEncoder;
import io.godwit.mqtt.packet.ConnAck;
import io.godwit.mqtt.packet.Connect;
import io.godwit.mqtt.packet.Packet;
import io.godwit.mqtt.packet.Publish;
import io.godwit.mqtt.packet.SubAck;
import io.godwit.mqtt.packet.Subscribe;
import io.godwit.mqtt.packet.field.Subscription;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** A client that blocks: sends packets, and reads them one at a time within ten seconds. */
public final class TestClient implements AutoCloseable {
    private static final int V5 = 5;

    private final Socket socket;
    private final PacketEncoder encoder;
    private final PacketDecoder decoder;
    private final ByteBuf read = Unpooled.buffer();

    public TestClient(InetSocketAddress address, int protocolLevel) {
        this(socketTo(address), protocolLevel);
    }

    private static Socket socketTo(InetSocketAddress address) {
        try {
            return new Socket(address.getAddress(), address.getPort());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Over a socket that is connected, perhaps through TLS. */
    TestClient(Socket socket, int protocolLevel) {
        this.socket = socket;
        try {
            socket.setSoTimeout(10_000);
            socket.setTcpNoDelay(true);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        encoder = new PacketEncoder(protocolLevel, -1, true);
        decoder = PacketDecoder.forClient(protocolLevel, 268_435_460);
    }

    /** Connected with a session that ends with the connection. */
    public static TestClient clean(InetSocketAddress address, int protocolLevel, String clientId) {
        TestClient client = new TestClient(address, protocolLevel);
        client.connect(new Connect(protocolLevel, true, 0, clientId, null, null, null));
        return client;
    }

    /** Connected with a session that outlives the connection. */
    public static TestClient persistent(InetSocketAddress address, int protocolLevel, String clientId) {
        TestClient client = new TestClient(address, protocolLevel);
        client.connect(persistent(protocolLevel, clientId));
        return client;
    }

    static Connect persistent(int protocolLevel, String clientId) {
        long expiry = protocolLevel == V5 ? 3600 : -1;
        return new Connect(
                protocolLevel,
                false,
                0,
                clientId,
                null,
                null,
                null,
                expiry,
                -1,
                -1,
                -1,
                false,
                true,
                List.of(),
                null,
                null);
    }

    ConnAck connect(Connect connect) {
        send(connect);
        return receive(ConnAck.class);
    }

    public SubAck subscribe(int packetId, String filter, Qos qos) {
        send(new Subscribe(
                packetId, List.of(new Subscription(TopicFilter.parse(filter).orElseThrow(), qos))));
        return receive(SubAck.class);
    }

    public static Publish publish(int packetId, Qos qos, boolean retain, String topic, String payload) {
        return new Publish(
                packetId, false, qos, retain, topic, payload.getBytes(StandardCharsets.UTF_8), MessageProperties.NONE);
    }

    public void send(Packet... packets) {
        ByteBuf out = Unpooled.buffer();
        for (Packet packet : packets) {
            encoder.encode(packet, out);
        }
        sendBytes(out);
    }

    void sendBytes(ByteBuf out) {
        try {
            out.readBytes(socket.getOutputStream(), out.readableBytes());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public <P extends Packet> P receive(Class<P> type) {
        Packet packet = receive();
        if (!type.isInstance(packet)) {
            throw new AssertionError("expected " + type.getSimpleName() + ", got " + packet);
        }
        return type.cast(packet);
    }

    /** The payload of the next packet, a PUBLISH. */
    public String receivePayload() {
        return payload(receive(Publish.class));
    }

    static String payload(Publish publish) {
        return new String(publish.payload(), StandardCharsets.UTF_8);
    }

    public Packet receive() {
        while (true) {
            Packet packet = decoder.decode(read);
            if (packet != null) {
                read.discardSomeReadBytes();
                return packet;
            }
            if (readMore() < 0) {
                throw new AssertionError("the server closed the connection");
            }
        }
    }

    /** Whether nothing has arrived so far. */
    boolean isSilent() {
        try {
            return !read.isReadable() && socket.getInputStream().available() == 0;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Whether the server closes the connection without another packet. */
    boolean isClosedByServer() {
        return !read.isReadable() && readMore() < 0;
    }

    /** Whether the server closes the connection, regardless of what it sends before. */
    boolean isClosedAfterWhatever() {
        int length = 0;
        while (length >= 0) {
            length = readMore();
        }
        return true;
    }

    private int readMore() {
        try {
            byte[] buffer = new byte[65_536];
            int length = socket.getInputStream().read(buffer);
            if (length > 0) {
                read.writeBytes(buffer, 0, length);
            }
            return length;
        } catch (SocketException e) {
            return -1; // reset
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Without a DISCONNECT. */
    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
