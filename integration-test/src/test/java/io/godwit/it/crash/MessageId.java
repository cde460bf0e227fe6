package io.godwit.it.crash;

import java.nio.charset.StandardCharsets;

/**
 * Names one message of a history. It stands at the head of the payload; the rest of the payload follows from it, so
 * that a damaged one is noticed.
 *
 * @param publisher the client that publishes it
 * @param qos with which it is published
 * @param sequence ascending within (publisher, topic, qos), in the order of publishing
 */
record MessageId(String publisher, String topic, int qos, long sequence) {
    /** The messages among which order is promised [MQTT5-4.6.0-5]. */
    record Stream(String publisher, String topic, int qos) {}

    Stream stream() {
        return new Stream(publisher, topic, qos);
    }

    /** @param size at least that of the head */
    byte[] payload(int size) {
        byte[] head = (publisher + '|' + qos + '|' + sequence + '|' + size + '|').getBytes(StandardCharsets.UTF_8);
        byte[] payload = new byte[Math.max(size, head.length)];
        System.arraycopy(head, 0, payload, 0, head.length);
        for (int i = head.length; i < payload.length; i++) {
            payload[i] = filler(sequence, i);
        }
        return payload;
    }

    /** @throws IllegalArgumentException when the payload is not, byte for byte, what {@link #payload} made */
    static MessageId of(String topic, byte[] payload) {
        int[] ends = new int[4];
        int found = 0;
        for (int i = 0; i < payload.length && found < 4; i++) {
            if (payload[i] == '|') {
                ends[found++] = i;
            }
        }
        if (found < 4) {
            throw new IllegalArgumentException("payload of " + payload.length + " bytes without a head");
        }
        String[] head = new String(payload, 0, ends[3], StandardCharsets.UTF_8).split("\\|", -1);
        MessageId id = new MessageId(head[0], topic, Integer.parseInt(head[1]), Long.parseLong(head[2]));
        int size = Integer.parseInt(head[3]);
        if (payload.length != Math.max(size, ends[3] + 1)) {
            throw new IllegalArgumentException(id + ": " + payload.length + " bytes instead of " + size);
        }
        for (int i = ends[3] + 1; i < payload.length; i++) {
            if (payload[i] != filler(id.sequence, i)) {
                throw new IllegalArgumentException(id + ": byte " + i + " is not what was sent");
            }
        }
        return id;
    }

    private static byte filler(long sequence, int position) {
        return (byte) ('a' + (sequence * 31 + position) % 26);
    }

    @Override
    public String toString() {
        return topic + '#' + sequence + " (QoS " + qos + " of " + publisher + ')';
    }
}
