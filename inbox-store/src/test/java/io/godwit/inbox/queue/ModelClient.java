package io.godwit.inbox.queue;

import io.godwit.inbox.client.AttachReply;
import io.godwit.inbox.client.InboxListener;
import io.godwit.inbox.client.InboxMessage;
import io.godwit.plugin.message.Qos;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A client that keeps the rules of the protocol, and checks that the store does. Its memory of QoS 2 packet ids is its session, so it
 * outlives connections.
 */
final class ModelClient {
    final String id;
    private final Random random;
    private final boolean wantsMarks;
    /** The last life of the session it knows of. */
    long incarnation;
    /** QoS 2 packet ids received and not released, with the copy. */
    private final Map<Integer, Integer> openFlows = new HashMap<>();
    /** Copies of this life handed to the application. */
    final Set<Integer> received = new HashSet<>();
    /** Copies of this life that any connection was sent. */
    private final Set<Integer> sent = new HashSet<>();
    /** What each sequence of this life stood for. */
    private final Map<Long, Integer> bySequence = new HashMap<>();
    /** Copies whose place in the order is not known, since they were published again. */
    final Set<Integer> unordered = new HashSet<>();

    @Nullable
    Connection connection;

    /** @param wantsMarks whether every repetition must be marked as one */
    ModelClient(String id, Random random, boolean wantsMarks) {
        this.id = id;
        this.random = random;
        this.wantsMarks = wantsMarks;
    }

    /** Names the copy of message {@code number} that is for plain subscriptions, or the one for a shared subscription. */
    static int copy(int number, boolean isShared) {
        return 2 * number + (isShared ? 1 : 0);
    }

    /** Of a delivery; copies for a shared subscription carry an identifier. */
    private static int copy(InboxMessage message) {
        String text = new String(message.message().payload(), StandardCharsets.UTF_8);
        return copy(Integer.parseInt(text.substring(0, text.indexOf('.'))), message.subscriptionIds().length > 0);
    }

    /** One connection of the client. */
    final class Connection implements InboxListener {
        @Nullable
        AttachReply reply;

        @Nullable
        Throwable failure;

        /** Told by the store. */
        private boolean over;
        /** The client has gone; what still comes does not reach it. */
        boolean left;

        private long requested;
        private long taken;
        private int lastNumber = -1;
        private int lastQos0 = -1;
        private long lastSequence = -1;
        /** By packet id: deliveries that it has not acknowledged. */
        private final Map<Integer, InboxMessage> inflight = new LinkedHashMap<>();

        void opened(AttachReply answer) {
            reply = answer;
            if (over) {
                return;
            }
            check(answer.incarnation() >= incarnation, "an older life of the session came back");
            if (answer.incarnation() != incarnation) {
                incarnation = answer.incarnation();
                openFlows.clear();
                received.clear();
                sent.clear();
                bySequence.clear();
            }
        }

        boolean isOpen() {
            return reply != null && !over && !left && connection == this;
        }

        void request(int messages) {
            requested += messages;
            reply.attachment().request(messages);
        }

        @Override
        public void deliver(List<InboxMessage> messages) {
            check(!over, "delivery after the end of the connection");
            if (!left) {
                messages.forEach(this::delivered);
            }
        }

        private void delivered(InboxMessage message) {
            if (message.qos() == Qos.AT_MOST_ONCE) {
                int copy = copy(message);
                check(copy > lastQos0, "QoS 0 out of order");
                lastQos0 = copy;
                return;
            }
            check(++taken <= requested, "more was delivered than requested");
            check(message.packetId() == 1 + message.sequence() % 65_535, "packet id does not follow from the sequence");
            check(message.sequence() > lastSequence, "sequences out of order");
            lastSequence = message.sequence();
            InboxMessage other = inflight.put(message.packetId(), message);
            check(other == null, "packet id in use was given again");
            if (message.released()) {
                return;
            }
            int copy = copy(message);
            if (!unordered.contains(copy)) {
                check(copy > lastNumber, "messages out of order: " + copy + " after " + lastNumber);
                lastNumber = copy;
            }
            check(bySequence.merge(message.sequence(), copy, (old, now) -> old) == copy, "sequence used again");
            check(!wantsMarks || !sent.contains(copy) || message.redelivered(), "a repetition is not marked: " + copy);
            sent.add(copy);
            if (message.qos() == Qos.AT_LEAST_ONCE) {
                received.add(copy);
                return;
            }
            Integer open = openFlows.putIfAbsent(message.packetId(), copy);
            if (open == null) {
                check(received.add(copy), "QoS 2 message twice: " + copy);
            } else {
                check(open == copy, "packet id of an open QoS 2 flow was given to another message");
            }
        }

        /** Acknowledges some of what is in flight, in any order. */
        void acknowledgeSome(double share) {
            List<InboxMessage> chosen = new ArrayList<>();
            inflight.values().forEach(message -> {
                if (random.nextDouble() < share) {
                    chosen.add(message);
                }
            });
            Collections.shuffle(chosen, random);
            for (InboxMessage message : chosen) {
                if (message.qos() == Qos.AT_LEAST_ONCE) {
                    inflight.remove(message.packetId());
                    reply.attachment().acknowledge(new long[] {message.sequence()});
                } else if (message.released()) {
                    finish(message);
                } else {
                    reply.attachment().received(message.sequence()).thenRun(() -> {
                        if (isOpen() && inflight.remove(message.packetId(), message)) {
                            finish(message); // PUBREL came, PUBCOMP goes
                        }
                    });
                }
            }
        }

        private void finish(InboxMessage message) {
            openFlows.remove(message.packetId());
            inflight.remove(message.packetId());
            reply.attachment().complete(message.sequence());
        }

        @Override
        public String toString() {
            return "open=" + (reply != null) + " over=" + over + " failure=" + failure;
        }

        @Override
        public void detached(Reason reason) {
            over = true;
        }
    }

    static void check(boolean holds, String claim) {
        if (!holds) {
            throw new AssertionError(claim);
        }
    }
}
