package io.godwit.mqtt.codec;

import io.godwit.mqtt.codec.field.VarInt;
import io.godwit.mqtt.packet.Auth;
import io.godwit.mqtt.packet.Connect;
import io.godwit.mqtt.packet.Disconnect;
import io.godwit.mqtt.packet.Packet;
import io.godwit.mqtt.packet.field.ProtocolLevel;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * What one side of a connection sends, made from a number: the frame of a valid packet, mostly damaged, perhaps between
 * frames that are not. Damage knows the structure: lengths are made to lie, fields are doubled, taken out or put in
 * with the length of the frame set right again, so that the rest is looked at.
 *
 * @param valid the packets to come out; empty when the input is damaged and it is for the decoder to say
 * @param isFirst whether the connection has no CONNECT behind it yet
 */
@SuppressWarnings("ArrayRecordComponent")
record FuzzInput(int level, boolean fromClient, boolean isFirst, byte[] bytes, List<Packet> valid) {
    private static final int[] EDGES = {0, 1, 2, 0x7F, 0x80, 0x81, 0xC0, 0xFE, 0xFF};

    static FuzzInput of(long seed, Class<? extends Packet> type) {
        Random random = new Random(seed);
        boolean fromClient = isFromClient(type, random);
        int level = levelFor(type, fromClient, random);
        boolean isFirst = type == Connect.class;
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        List<Packet> packets = new ArrayList<>();
        for (int before = isFirst ? 0 : random.nextInt(3); before > 0; before--) {
            append(bytes, packets, RandomPackets.from(fromClient, level, random), level, fromClient, random);
        }
        byte[] frame = append(new ByteArrayOutputStream(), packets, type, level, fromClient, random);
        boolean isDamaged = random.nextInt(8) > 0;
        bytes.writeBytes(isDamaged ? damaged(frame, level, fromClient, random) : frame);
        for (int after = random.nextInt(2); after > 0; after--) {
            append(bytes, packets, RandomPackets.from(fromClient, level, random), level, fromClient, random);
        }
        return new FuzzInput(level, fromClient, isFirst, bytes.toByteArray(), isDamaged ? List.of() : packets);
    }

    private static boolean isFromClient(Class<? extends Packet> type, Random random) {
        boolean client = RandomPackets.FROM_CLIENT.contains(type);
        return client && (!RandomPackets.FROM_SERVER.contains(type) || random.nextBoolean());
    }

    private static int levelFor(Class<? extends Packet> type, boolean fromClient, Random random) {
        boolean only5 = type == Auth.class || type == Disconnect.class && !fromClient;
        return only5 || random.nextBoolean() ? ProtocolLevel.MQTT_5 : ProtocolLevel.MQTT_3_1 + random.nextInt(2);
    }

    private static byte[] append(
            ByteArrayOutputStream out,
            List<Packet> packets,
            Class<? extends Packet> type,
            int level,
            boolean fromClient,
            Random random) {
        Packet packet = new RandomPackets(random.nextLong(), level, fromClient).next(type);
        byte[] frame = Frames.encode(packet, level);
        packets.add(packet);
        out.writeBytes(frame);
        return frame;
    }

    // ---- damage

    private static byte[] damaged(byte[] frame, int level, boolean fromClient, Random random) {
        if (random.nextInt(20) == 0) { // nothing of a packet but its length
            byte[] noise = new byte[random.nextInt(60)];
            random.nextBytes(noise);
            return framed(random.nextInt(), noise, random);
        }
        int lengthBytes = 1;
        while (frame[lengthBytes] < 0) {
            lengthBytes++;
        }
        byte[] body = Arrays.copyOfRange(frame, 1 + lengthBytes, frame.length);
        int first = frame[0];
        for (int changes = 1 + random.nextInt(3); changes > 0; changes--) {
            if (body.length == 0 || random.nextInt(16) == 0) {
                first ^= 1 << random.nextInt(8);
            } else {
                body = changed(body, level, fromClient, random);
            }
        }
        byte[] bytes = framed(first, body, random);
        return random.nextInt(16) == 0 ? Arrays.copyOf(bytes, random.nextInt(bytes.length + 1)) : bytes;
    }

    private static byte[] changed(byte[] body, int level, boolean fromClient, Random random) {
        byte[] bytes = body.clone();
        int at = random.nextInt(bytes.length);
        int run = Math.min(bytes.length - at, 1 + random.nextInt(random.nextBoolean() ? 2 : 12));
        switch (random.nextInt(10)) {
            case 0 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
            case 1 -> bytes[at] = (byte) random.nextInt();
            case 2 -> bytes[at] = (byte) EDGES[random.nextInt(EDGES.length)];
            case 3, 4 -> lieOfALength(bytes, random);
            case 5 -> bytes = replaced(body, at, run, new byte[0]);
            case 6 -> bytes = replaced(body, at, 0, Arrays.copyOfRange(body, at, at + run)); // doubled
            case 7 -> {
                byte[] noise = new byte[run];
                random.nextBytes(noise);
                bytes = replaced(body, at, 0, noise);
            }
            case 8 -> { // a piece of another packet
                Class<? extends Packet> type = RandomPackets.from(fromClient, level, random);
                byte[] other = Frames.encode(new RandomPackets(random.nextLong(), level, fromClient).next(type), level);
                int from = random.nextInt(other.length);
                bytes = replaced(
                        body,
                        at,
                        run,
                        Arrays.copyOfRange(other, from, Math.min(other.length, from + 1 + random.nextInt(40))));
            }
            default -> bytes = Arrays.copyOf(body, at);
        }
        return bytes;
    }

    /** Changes two bytes that look like the length of the bytes after them, or one such byte. */
    private static void lieOfALength(byte[] bytes, Random random) {
        for (int attempt = 0; attempt < 10; attempt++) {
            int at = random.nextInt(bytes.length);
            if (at + 1 < bytes.length && random.nextInt(3) > 0) {
                int length = (bytes[at] & 0xFF) << 8 | bytes[at + 1] & 0xFF;
                if (at + 2 + length <= bytes.length) {
                    int lie = switch (random.nextInt(4)) {
                        case 0 -> length + 1;
                        case 1 -> length - 1;
                        case 2 -> 0xFFFF;
                        default -> random.nextInt(0x10000);
                    };
                    bytes[at] = (byte) (lie >> 8);
                    bytes[at + 1] = (byte) lie;
                    return;
                }
            } else if (at + 1 + (bytes[at] & 0xFF) <= bytes.length) {
                bytes[at] += (byte) (random.nextBoolean() ? 1 : -1);
                return;
            }
        }
    }

    private static byte[] replaced(byte[] bytes, int at, int length, byte[] by) {
        byte[] result = new byte[bytes.length - length + by.length];
        System.arraycopy(bytes, 0, result, 0, at);
        System.arraycopy(by, 0, result, at, by.length);
        System.arraycopy(bytes, at + length, result, at + by.length, bytes.length - at - length);
        return result;
    }

    /** A frame of the right length; seldom of another, or of one in more bytes than needed. */
    private static byte[] framed(int first, byte[] body, Random random) {
        ByteArrayOutputStream frame = new ByteArrayOutputStream();
        frame.write(first);
        int length = body.length;
        int padding = 0;
        switch (random.nextInt(24)) {
            case 0 -> length = Math.max(0, length + random.nextInt(7) - 3);
            case 1 -> length = random.nextInt(VarInt.MAX + 1);
            case 2 -> padding = 1 + random.nextInt(4);
            default -> {}
        }
        do {
            int low = length & 0x7F;
            length >>>= 7;
            boolean more = length > 0 || padding-- > 0;
            frame.write(more ? low | 0x80 : low);
            if (!more) {
                break;
            }
        } while (true);
        frame.writeBytes(body);
        return frame.toByteArray();
    }
}
