package io.godwit.plugin.message;

import java.util.Objects;

/**
 * One application message as its publisher sent it. Immutable: the payload array is shared by every receiver and must
 * never be modified by anyone.
 */
public final class Message {
    /** The objects themselves, without their content. */
    private static final int OVERHEAD_BYTES = 128;

    private final String topic;
    private final byte[] payload;
    private final Qos qos;
    private final boolean retain;
    private final long receivedAtMillis;
    private final MessageProperties properties;
    private final int heapBytes;

    /**
     * @param topic a valid topic name, see {@link io.godwit.plugin.topic.TopicName}
     * @param payload handed over: the caller must not touch it again
     * @param receivedAtMillis wall clock at the node that received it, milliseconds since the epoch; expiry counts from
     *     here
     */
    public Message(
            String topic,
            byte[] payload,
            Qos qos,
            boolean retain,
            long receivedAtMillis,
            MessageProperties properties) {
        this.topic = Objects.requireNonNull(topic);
        this.payload = Objects.requireNonNull(payload);
        this.qos = Objects.requireNonNull(qos);
        this.retain = retain;
        this.receivedAtMillis = receivedAtMillis;
        this.properties = Objects.requireNonNull(properties);
        long bytes = OVERHEAD_BYTES + (long) payload.length + topic.length() + properties.heapBytes();
        this.heapBytes = (int) Math.min(Integer.MAX_VALUE, bytes);
    }

    /**
     * About what this message takes on the heap, in bytes: payload, topic, and decoded properties. Budgets charge this
     * size, since a message may have no payload and half a megabyte of properties.
     */
    public int heapBytes() {
        return heapBytes;
    }

    public String topic() {
        return topic;
    }

    /** The application payload; shared, read only. */
    public byte[] payload() {
        return payload;
    }

    /** The QoS the publisher chose. */
    public Qos qos() {
        return qos;
    }

    /** The RETAIN flag as published. */
    public boolean retain() {
        return retain;
    }

    /** When this broker received it, wall clock, milliseconds since the epoch. */
    public long receivedAtMillis() {
        return receivedAtMillis;
    }

    public MessageProperties properties() {
        return properties;
    }

    /** The same with another topic, see the constructor. */
    public Message withTopic(String other) {
        return new Message(other, payload, qos, retain, receivedAtMillis, properties);
    }

    /** The same with another payload, which is handed over. */
    public Message withPayload(byte[] other) {
        return new Message(topic, other, qos, retain, receivedAtMillis, properties);
    }

    /** The same with another QoS. */
    public Message withQos(Qos other) {
        return new Message(topic, payload, other, retain, receivedAtMillis, properties);
    }

    /** The same with another RETAIN flag. */
    public Message withRetain(boolean other) {
        return new Message(topic, payload, qos, other, receivedAtMillis, properties);
    }

    /** The same with other properties. */
    public Message withProperties(MessageProperties other) {
        return new Message(topic, payload, qos, retain, receivedAtMillis, other);
    }

    /** Whether its message expiry interval has passed at {@code nowMillis}; false without one [MQTT5-3.3.2-5]. */
    public boolean isExpired(long nowMillis) {
        long seconds = properties.messageExpirySeconds();
        return seconds >= 0 && nowMillis - receivedAtMillis >= seconds * 1000;
    }

    /**
     * Seconds of life left at {@code nowMillis}, as a delivery must state them [MQTT5-3.3.2-6]; -1 without an expiry.
     */
    public long remainingExpirySeconds(long nowMillis) {
        long seconds = properties.messageExpirySeconds();
        return seconds < 0 ? -1 : Math.max(0, seconds - Math.max(0, nowMillis - receivedAtMillis) / 1000);
    }

    @Override
    public String toString() {
        return "Message[topic=" + topic + ", bytes=" + payload.length + ", qos=" + qos.value() + ", retain=" + retain
                + "]";
    }
}
