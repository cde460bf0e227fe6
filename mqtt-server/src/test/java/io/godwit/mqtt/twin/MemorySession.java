package io.godwit.mqtt.twin;

import io.godwit.inbox.client.InboxMessage;
import io.godwit.inbox.client.InsertRequest;
import io.godwit.inbox.client.StoredSubscription;
import io.godwit.inbox.client.Will;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A stored session of a {@link MemoryInbox}, whose lock guards it. */
final class MemorySession {
    /** A message in the queue of the session. */
    static final class Entry {
        final long sequence;
        final InsertRequest request;
        final InsertRequest.Target target;
        boolean sent;
        boolean sentBefore;
        boolean released;

        Entry(long sequence, InsertRequest request, InsertRequest.Target target) {
            this.sequence = sequence;
            this.request = request;
            this.target = target;
        }

        InboxMessage message(boolean redelivered) {
            int packetId = target.qos() == Qos.AT_MOST_ONCE ? 0 : (int) (1 + sequence % 65_535);
            return new InboxMessage(
                    sequence,
                    packetId,
                    request.message(),
                    target.qos(),
                    target.retain(),
                    redelivered,
                    released,
                    target.subscriptionIds());
        }
    }

    /** A message of QoS 2 that the client has published and not released. */
    static final class Inbound {
        final Message message;
        final long token;
        boolean isDistributed;

        Inbound(Message message, long token) {
            this.message = message;
            this.token = token;
        }
    }

    final long incarnation;
    long expirySeconds;

    @Nullable
    String userName;

    @Nullable
    Will will;

    final Map<TopicFilter, StoredSubscription> subscriptions = new LinkedHashMap<>();
    /** For each subscription owed retained messages, the topics of live messages since it was made. */
    final Map<TopicFilter, Set<String>> liveTopics = new HashMap<>();

    final TreeMap<Long, Entry> queue = new TreeMap<>();
    final TreeMap<Integer, Inbound> inbound = new TreeMap<>();
    /** 0 means nothing to the protocol between store and frontend. */
    long nextSequence = 1;

    long tokens;

    @Nullable
    MemoryAttachment attachment;
    /** Its attachment was ended by {@link MemoryInbox#moveLeader}. */
    boolean isAwaited;

    MemorySession(long incarnation) {
        this.incarnation = incarnation;
    }

    /** Adds a message to the queue, and pushes it if the client is attached. */
    void append(InsertRequest request, InsertRequest.Target target) {
        Entry entry = new Entry(nextSequence++, request, target);
        queue.put(entry.sequence, entry);
        if (attachment != null) {
            attachment.push();
        }
    }
}
