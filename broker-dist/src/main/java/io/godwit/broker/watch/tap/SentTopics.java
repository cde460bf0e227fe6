package io.godwit.broker.watch.tap;

import io.godwit.plugin.client.ClientInfo;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The topics of messages that were traced when they were sent, until their acknowledgement, which names no topic.
 * Bounded in number and in characters, since clients choose the topics. Beyond the bounds an acknowledgement is traced
 * without a topic, or not at all by a trace that follows a topic. Any thread.
 */
final class SentTopics {
    static final int MAX = 10_000;
    /** Bound over all topics together. */
    static final long MAX_CHARS = 2L << 20;

    private final ConcurrentHashMap<Sent, String> topics = new ConcurrentHashMap<>();

    /** Atomic: changed on any thread. Races may exceed the bound a little, which does no harm. */
    private final AtomicLong chars = new AtomicLong();

    private record Sent(String tenant, String clientId, int packetId) {
        static Sent of(ClientInfo receiver, int packetId) {
            return new Sent(receiver.tenant().value(), receiver.clientId().value(), packetId);
        }
    }

    void put(ClientInfo receiver, int packetId, String topic) {
        if (topics.mappingCount() < MAX && chars.get() + topic.length() <= MAX_CHARS) {
            chars.addAndGet(topic.length());
            forget(topics.put(Sent.of(receiver, packetId), topic));
        }
    }

    @Nullable
    String remove(ClientInfo receiver, int packetId) {
        String topic = topics.isEmpty() ? null : topics.remove(Sent.of(receiver, packetId));
        forget(topic);
        return topic;
    }

    private void forget(@Nullable String topic) {
        if (topic != null) {
            chars.addAndGet(-topic.length());
        }
    }

    long size() {
        return topics.mappingCount();
    }

    void clear() {
        topics.keySet().forEach(sent -> forget(topics.remove(sent))); // others may put a topic meanwhile
    }
}
