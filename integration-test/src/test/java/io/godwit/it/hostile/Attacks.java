package io.godwit.it.hostile;

import io.godwit.it.wire.Packet;
import io.godwit.it.wire.PacketWriter;
import io.godwit.it.wire.Properties;
import io.netty.buffer.ByteBuf;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** What hostile clients send: the packets that once stopped the broker or stalled its clients. */
final class Attacks {
    private static final int USER_PROPERTY_BYTES = 7;
    private static final int LARGEST_SUBSCRIBE = 1 << 20;
    /** With more the broker closes the connection. */
    static final int MOST_FILTERS = 10_000;

    private Attacks() {}

    /**
     * A CONNECT that begins a SCRAM exchange and carries the smallest user properties, as many as fit into {@code
     * bytes}.
     */
    static byte[] scramWithProperties(int bytes) {
        ByteArrayOutputStream properties = new ByteArrayOutputStream();
        string(properties, 0x15, "SCRAM-SHA-256");
        binary(properties, 0x16, "n,,n=gate,r=fyko".getBytes(StandardCharsets.UTF_8));
        userProperties(properties, bytes);
        return connect(properties.toByteArray(), "", null);
    }

    /** A CONNECT that begins SCRAM for a user whose name is one letter with combining marks behind it. */
    static byte[] scramLongName(int nameBytes) {
        // two marks of different classes in turn: normalization has to sort all of them
        String name = "a" + "\u0315\u0316".repeat(nameBytes / 4);
        ByteArrayOutputStream properties = new ByteArrayOutputStream();
        string(properties, 0x15, "SCRAM-SHA-256");
        binary(properties, 0x16, ("n,,n=" + name + ",r=fyko").getBytes(StandardCharsets.UTF_8));
        return connect(properties.toByteArray(), "", null);
    }

    /** A CONNECT with a password, which is verified while the packet's properties are held. */
    static byte[] passwordWithProperties(String user, String password, int bytes) {
        ByteArrayOutputStream properties = new ByteArrayOutputStream();
        userProperties(properties, bytes);
        return connect(properties.toByteArray(), "", new Packet.Login(user, password));
    }

    /** A CONNECT without end: says that 2 MB follow and sends all but the last byte of them. */
    static byte[] endlessConnect() {
        byte[] whole = scramWithProperties(2_000_000);
        return Arrays.copyOf(whole, whole.length - 1);
    }

    /** A QoS 1 PUBLISH without payload whose few user properties, of 60,000 bytes each, take so many bytes. */
    static byte[] publishWithProperties(String topic, int packetId, int bytes) {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        string(body, topic);
        body.write(packetId >> 8);
        body.write(packetId);
        ByteArrayOutputStream properties = new ByteArrayOutputStream();
        for (int i = 0; i < bytes / 60_000; i++) {
            string(properties, 0x26, "n");
            string(properties, "v".repeat(60_000));
        }
        varint(body, properties.size());
        body.writeBytes(properties.toByteArray());
        return packet(0x32, body);
    }

    /** Topic filters that have one {@code String.hashCode}. */
    static List<String> colliding(int count) {
        int bits = 32 - Integer.numberOfLeadingZeros(Math.max(1, count - 1));
        return IntStream.range(0, count)
                .mapToObj(number -> {
                    StringBuilder filter = new StringBuilder(2 * bits);
                    for (int bit = 0; bit < bits; bit++) {
                        filter.append((number >> bit & 1) == 0 ? "Aa" : "BB");
                    }
                    return filter.toString();
                })
                .toList();
    }

    /**
     * All filters of so many levels that are {@code a} or {@code +}, with a {@code #} behind: each matches {@code
     * root/a/a/...}.
     */
    static List<String> overlapping(String root, int levels) {
        return IntStream.range(0, 1 << levels)
                .mapToObj(number -> {
                    StringBuilder filter = new StringBuilder(root);
                    for (int level = 0; level < levels; level++) {
                        filter.append((number >> level & 1) == 0 ? "/a" : "/+");
                    }
                    return filter.append("/#").toString();
                })
                .toList();
    }

    /** SUBSCRIBE packets for all of these, each of a megabyte and of 10,000 filters at most. */
    static List<byte[]> subscribes(List<String> filters, int qos) {
        List<byte[]> packets = new ArrayList<>();
        List<Packet.Request> requests = new ArrayList<>();
        int bytes = 0;
        for (String filter : filters) {
            requests.add(new Packet.Request(filter, qos));
            bytes += filter.length() + 3;
            if (bytes > LARGEST_SUBSCRIBE || requests.size() == MOST_FILTERS) {
                packets.add(subscribe(packets.size() + 1, requests));
                requests.clear();
                bytes = 0;
            }
        }
        if (!requests.isEmpty()) {
            packets.add(subscribe(packets.size() + 1, requests));
        }
        return packets;
    }

    /** An UNSUBSCRIBE of the shortest filters, 3 bytes each. */
    static byte[] unsubscribe(int filters) {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        body.writeBytes(new byte[] {0, 7, 0}); // packet id, no properties
        for (int i = 0; i < filters; i++) {
            string(body, Character.toString('a' + i % 26));
        }
        return packet(0xA2, body);
    }

    private static byte[] subscribe(int packetId, List<Packet.Request> requests) {
        return PacketWriter.bytes(new Packet.Subscribe(packetId, requests, Properties.NONE), 5);
    }

    /** Connects, and when it is let in, does what is said. */
    static Swarm.Manner letIn(byte[] connect, Swarm.Manner then) {
        return new Swarm.Manner() {
            private boolean isIn;

            @Override
            public void opened(Swarm.Peer peer) {
                peer.send(connect);
            }

            @Override
            public void received(Swarm.Peer peer, ByteBuf bytes) {
                // a CONNACK of code 0 comes first
                if (!isIn && bytes.readableBytes() >= 4 && bytes.getByte(bytes.readerIndex() + 3) == 0) {
                    isIn = true;
                    then.opened(peer);
                }
            }
        };
    }

    /** CONNECT of a client that logs in. */
    static byte[] login(String clientId, boolean clean, Packet.Login login, Function<Properties, Properties> more) {
        Properties properties = more.apply(Properties.NONE);
        return PacketWriter.bytes(new Packet.Connect(5, clientId, clean, 60, properties, null, login), 5);
    }

    private static byte[] connect(byte[] properties, String clientId, Packet.@Nullable Login login) {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        string(body, "MQTT");
        body.write(5);
        body.write(login == null ? 0x02 : 0xC2);
        body.write(0);
        body.write(60);
        varint(body, properties.length);
        body.writeBytes(properties);
        string(body, clientId);
        if (login != null) {
            string(body, login.user());
            string(body, login.password());
        }
        return packet(0x10, body);
    }

    private static byte[] packet(int first, ByteArrayOutputStream body) {
        ByteArrayOutputStream whole = new ByteArrayOutputStream();
        whole.write(first);
        varint(whole, body.size());
        whole.writeBytes(body.toByteArray());
        return whole.toByteArray();
    }

    private static void userProperties(ByteArrayOutputStream out, int bytes) {
        byte[] one = {0x26, 0, 1, 'n', 0, 1, 'v'};
        for (int i = 0; i < bytes / USER_PROPERTY_BYTES; i++) {
            out.writeBytes(one);
        }
    }

    private static void string(ByteArrayOutputStream out, int id, String text) {
        out.write(id);
        string(out, text);
    }

    private static void string(ByteArrayOutputStream out, String text) {
        binary(out, text.getBytes(StandardCharsets.UTF_8));
    }

    private static void binary(ByteArrayOutputStream out, int id, byte[] bytes) {
        out.write(id);
        binary(out, bytes);
    }

    private static void binary(ByteArrayOutputStream out, byte[] bytes) {
        out.write(bytes.length >> 8);
        out.write(bytes.length);
        out.writeBytes(bytes);
    }

    private static void varint(ByteArrayOutputStream out, int value) {
        int rest = value;
        while (rest > 0x7F) {
            out.write(rest & 0x7F | 0x80);
            rest >>>= 7;
        }
        out.write(rest);
    }
}
