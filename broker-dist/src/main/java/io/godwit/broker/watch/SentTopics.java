package io.godwit.broker.watch;

import io.godwit.plugin.client.ClientInfo;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The topics of what was sent while it was followed, and is not acknowledged: an acknowledgement names none. So many
 * at most, and so many characters, which clients choose. Of others the acknowledgement is told without a topic, or not
 * at all where the topic is what is followed. Any thread.
 */
final class SentTopics {
    static final int MAX = 10_000;
    /** Of all topics together. */
    static final long MAX_CHARS = 2L << 20;

    private final ConcurrentHashMap<Sent, String> topics = new ConcurrentHashMap<>();

    /** Atomic: added to and taken from on any thread; a few more than the bound do no harm. */
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
        topics.keySet().forEach(sent -> forget(topics.remove(sent))); // others may put one meanwhile
    }
}
