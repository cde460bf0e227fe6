package io.godwit.broker;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/**
 * The smallest client that exercises the broker, at level 4 (MQTT 3.1.1) or 5. It uses a plain socket, because a client
 * library, or the broker's codec in the client's role, would load classes that no broker needs. Confined to one thread;
 * each call returns when the broker has answered.
 */
final class TrainingClient implements AutoCloseable {
    private static final int CONNECT = 0x10;
    private static final int CONNACK = 0x20;
    private static final int PUBLISH = 0x30;
    private static final int PUBACK = 0x40;
    private static final int PUBREC = 0x50;
    private static final int PUBREL = 0x62;
    private static final int PUBCOMP = 0x70;
    private static final int SUBSCRIBE = 0x82;
    private static final int SUBACK = 0x90;
    private static final int UNSUBSCRIBE = 0xA2;
    private static final int UNSUBACK = 0xB0;
    private static final int PINGREQ = 0xC0;
    private static final int PINGRESP = 0xD0;
    private static final int DISCONNECT = 0xE0;

    private static final int CLEAN = 0x02;
    private static final int WILL_QOS_1 = 0x0C;
    private static final byte[] NO_PROPERTIES = {0};
    /** Session Expiry Interval of an hour. */
    private static final byte[] SESSION_EXPIRY = {5, 0x11, 0, 0, 0x0E, 0x10};

    private static final int PATIENCE_MILLIS =
            Math.toIntExact(Duration.ofMinutes(1).toMillis());

    private final int level;
    private final Socket socket;
    private final DataInputStream in;
    private final DataOutputStream out;
    private int packetId;
    /** PUBLISHes that arrived while the client waited for an answer. */
    private int arrived;

    private TrainingClient(Socket socket, int level) throws IOException {
        this.socket = socket;
        this.level = level;
        socket.setSoTimeout(PATIENCE_MILLIS);
        socket.setTcpNoDelay(true);
        this.in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
        this.out = new DataOutputStream(socket.getOutputStream());
    }

    /** Connects to a port of this machine, with a will to topic {@code will/}{@code clientId}. */
    static TrainingClient connect(int port, int level, String clientId, boolean isPersistent) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        try {
            TrainingClient client = new TrainingClient(socket, level);
            Body body = new Body()
                    .text("MQTT")
                    .one(level)
                    .one(WILL_QOS_1 | (isPersistent ? 0 : CLEAN))
                    .two(60);
            client.properties(body, isPersistent ? SESSION_EXPIRY : NO_PROPERTIES);
            body.text(clientId);
            client.properties(body, NO_PROPERTIES);
            body.text("will/" + clientId).text("gone");
            client.send(CONNECT, body);
            client.await(CONNACK);
            return client;
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    void subscribe(String filter, int qos) throws IOException {
        Body body = new Body().two(nextPacketId());
        properties(body, NO_PROPERTIES);
        send(SUBSCRIBE, body.text(filter).one(qos));
        await(SUBACK);
    }

    void unsubscribe(String filter) throws IOException {
        Body body = new Body().two(nextPacketId());
        properties(body, NO_PROPERTIES);
        send(UNSUBSCRIBE, body.text(filter));
        await(UNSUBACK);
    }

    void publish(String topic, String payload, int qos, boolean isRetained) throws IOException {
        Body body = new Body().text(topic);
        if (qos > 0) {
            body.two(nextPacketId());
        }
        properties(body, NO_PROPERTIES);
        send(PUBLISH | qos << 1 | (isRetained ? 1 : 0), body.bytes(payload.getBytes(StandardCharsets.UTF_8)));
        if (qos == 1) {
            await(PUBACK);
        } else if (qos == 2) {
            await(PUBCOMP); // read() answers the PUBREC
        }
    }

    /** Waits for one message and completes its QoS handshake. */
    void takeMessage() throws IOException {
        while (arrived == 0) {
            read();
        }
        arrived--;
    }

    void ping() throws IOException {
        send(PINGREQ, new Body());
        await(PINGRESP);
    }

    void disconnect() throws IOException {
        send(DISCONNECT, new Body());
    }

    /** Closes the connection without DISCONNECT. */
    void cut() throws IOException {
        socket.close();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }

    private int nextPacketId() {
        packetId = packetId % 65_535 + 1;
        return packetId;
    }

    private void properties(Body body, byte[] properties) {
        if (level == 5) {
            body.bytes(properties);
        }
    }

    private void await(int type) throws IOException {
        int read;
        do {
            read = read();
        } while (read != (type & 0xF0));
    }

    /** Reads one packet, answers it and returns its type. */
    private int read() throws IOException {
        int first = in.readUnsignedByte();
        byte[] body = new byte[length()];
        in.readFully(body);
        int type = first & 0xF0;
        switch (type) {
            case PUBLISH -> {
                int qos = first >> 1 & 3;
                if (qos > 0) {
                    int idAt = 2 + twoAt(body, 0);
                    send(qos == 1 ? PUBACK : PUBREC, new Body().two(twoAt(body, idAt)));
                }
                if (qos < 2) {
                    arrived++;
                }
            }
            case PUBREC -> send(PUBREL, new Body().two(twoAt(body, 0)));
            case PUBREL & 0xF0 -> {
                send(PUBCOMP, new Body().two(twoAt(body, 0)));
                arrived++;
            }
            case CONNACK -> {
                if (body[1] != 0) {
                    throw new IOException("CONNACK " + body[1]);
                }
            }
            default -> {}
        }
        return type;
    }

    private int length() throws IOException {
        int length = 0;
        for (int shift = 0; ; shift += 7) {
            int next = in.readUnsignedByte();
            length |= (next & 0x7F) << shift;
            if (next < 0x80) {
                return length;
            }
        }
    }

    private static int twoAt(byte[] bytes, int index) {
        return (bytes[index] & 0xFF) << 8 | (bytes[index + 1] & 0xFF);
    }

    /** Sends the packet in one write. */
    private void send(int first, Body body) throws IOException {
        byte[] bytes = body.content.toByteArray();
        if (bytes.length > 127) {
            throw new IllegalArgumentException("packets here are short");
        }
        byte[] frame = new byte[2 + bytes.length];
        frame[0] = (byte) first;
        frame[1] = (byte) bytes.length;
        System.arraycopy(bytes, 0, frame, 2, bytes.length);
        out.write(frame);
    }

    /** The part of a packet after the length. */
    private static final class Body {
        private final ByteArrayOutputStream content = new ByteArrayOutputStream();

        Body one(int value) {
            content.write(value);
            return this;
        }

        Body two(int value) {
            return one(value >> 8).one(value);
        }

        Body text(String text) {
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            return two(bytes.length).bytes(bytes);
        }

        Body bytes(byte[] bytes) {
            content.writeBytes(bytes);
            return this;
        }
    }
}
