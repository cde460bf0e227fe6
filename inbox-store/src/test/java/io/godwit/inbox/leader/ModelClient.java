package io.godwit.inbox.leader;

import io.godwit.inbox.client.AttachReply;
import io.godwit.inbox.client.ContinueRequest;
import io.godwit.inbox.client.InboxAttachment;
import io.godwit.inbox.client.InboxClient;
import io.godwit.inbox.client.InboxListener;
import io.godwit.inbox.client.InboxMessage;
import io.godwit.kv.client.RangeException;
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
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A client that keeps the rules of the protocol, and checks the store. Its memory of QoS 2 packet ids belongs to its
 * session, so it outlives connections.
 */
final class ModelClient {
    final String id;
    private final Random random;
    private final boolean wantsMarks;
    /** The last incarnation of the session it knows of. */
    long incarnation;
    /** QoS 2 packet ids received and not released, with the copy. */
    private final Map<Integer, Integer> openFlows = new HashMap<>();
    /** Copies of this incarnation passed to the application. */
    final Set<Integer> received = new HashSet<>();
    /** Copies of this incarnation sent to any connection. */
    private final Set<Integer> sent = new HashSet<>();
    /** The copy of each sequence of this incarnation. */
    private final Map<Long, Integer> bySequence = new HashMap<>();
    /** Copies whose order is unknown, because they were published again. */
    final Set<Integer> unordered = new HashSet<>();

    @Nullable
    Connection connection;

    /** Used by a connection to continue at the next leader; null when it ends with its leader. */
    @Nullable
    InboxClient store;

    /** Reasons why connections could not continue though nothing else had happened. */
    final List<String> refusals = new ArrayList<>();

    /** A planted fault: the connection reports this much less than it was given. */
    int toldTooLittle;

    /** Whether every message marked as a repetition must be one, which holds without crashes. */
    boolean marksAreExact;

    /** @param wantsMarks whether every repetition must be marked as one */
    ModelClient(String id, Random random, boolean wantsMarks) {
        this.id = id;
        this.random = random;
        this.wantsMarks = wantsMarks;
    }

    /** Number of the copy of message {@code number} for plain subscriptions, or for a shared subscription. */
    static int copy(int number, boolean isShared) {
        return 2 * number + (isShared ? 1 : 0);
    }

    /** The copy of a delivery; copies for a shared subscription carry an identifier. */
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

        /** Null while it moves from one leader to the next. */
        @Nullable
        InboxAttachment attachment;

        /** Where deliveries go. */
        InboxListener self = this;

        /** Calls to make when it has continued. */
        private final List<Runnable> inBetween = new ArrayList<>();
        /** Whether the next leader may refuse it, because something besides an orderly replacement has happened. */
        boolean mayBeRefused;

        int continued;

        /** The store has reported its end. */
        private boolean over;
        /** The client has gone; later deliveries do not reach it. */
        boolean left;

        private long requested;
        private long taken;
        private int lastNumber = -1;
        private int lastQos0 = -1;
        private long lastSequence = -1;
        private long lastOfAny;
        /** By packet id: deliveries that it has not acknowledged. */
        private final Map<Integer, InboxMessage> inflight = new LinkedHashMap<>();

        void opened(AttachReply answer) {
            reply = answer;
            if (over) {
                return;
            }
            attachment = answer.attachment();
            check(answer.incarnation() >= incarnation, "an older life of the session came back");
            if (answer.incarnation() != incarnation) {
                incarnation = answer.incarnation();
                openFlows.clear();
                received.clear();
                sent.clear();
                bySequence.clear();
            }
        }

        boolean isOver() {
            return over;
        }

        boolean isOpen() {
            return reply != null && !over && !left && connection == this;
        }

        void request(int messages) {
            requested += messages;
            if (attachment != null) {
                attachment.request(messages);
            }
        }

        /** Closes it; the session stays. */
        void leave() {
            left = true;
            call(() -> repeat(() -> attachment.detach(-1, false), () -> {}));
        }

        private void call(Runnable action) {
            if (attachment == null) {
                inBetween.add(action);
            } else {
                action.run();
            }
        }

        /** Makes a call, and repeats it at the next leader if this one is replaced before it has answered. */
        private void repeat(Supplier<CompletableFuture<Void>> ask, Runnable then) {
            ask.get().whenComplete((done, problem) -> {
                if (problem == null) {
                    then.run();
                } else if (problem instanceof RangeException e && e.reason() == RangeException.Cause.MOVED) {
                    inBetween.add(() -> repeat(ask, then));
                }
            });
        }

        private void goOn() {
            long[] unanswered = inflight.values().stream()
                    .mapToLong(InboxMessage::sequence)
                    .sorted()
                    .toArray();
            store.continueAttachment(
                            new ContinueRequest(
                                    InboxFixture.info(id),
                                    reply.incarnation(),
                                    Math.max(0, lastOfAny - toldTooLittle),
                                    unanswered),
                            self)
                    .whenComplete((next, problem) -> {
                        if (problem instanceof RangeException e && e.reason() == RangeException.Cause.MOVED) {
                            goOn();
                        } else if (problem != null || next.isEmpty()) {
                            over = true;
                            if (!mayBeRefused && connection == this) {
                                refusals.add(problem == null ? "refused" : problem.toString());
                            }
                        } else {
                            wentOn(next.get());
                        }
                    });
        }

        private void wentOn(InboxAttachment next) {
            attachment = next;
            continued++;
            List<Runnable> calls = List.copyOf(inBetween);
            inBetween.clear();
            calls.forEach(Runnable::run);
            if (!left) {
                next.request((int) (requested - taken));
            }
        }

        @Override
        public void deliver(List<InboxMessage> messages) {
            check(!over, "delivery after the end of the connection");
            if (!left) { // later ones were never answered
                messages.forEach(message -> lastOfAny = Math.max(lastOfAny, message.sequence()));
                messages.forEach(this::delivered);
            } else {
                messages.stream()
                        .filter(message -> message.qos() != Qos.AT_MOST_ONCE && !message.released())
                        .forEach(message -> sent.add(copy(message)));
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
            check(
                    !marksAreExact || !message.redelivered() || sent.contains(copy),
                    "no repetition, and marked: " + copy);
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
                    call(() -> attachment.acknowledge(new long[] {message.sequence()}));
                } else if (message.released()) {
                    finish(message);
                } else {
                    call(() -> repeat(() -> attachment.received(message.sequence()), () -> {
                        if (isOpen() && inflight.remove(message.packetId(), message)) {
                            finish(message); // PUBREL came, PUBCOMP goes
                        }
                    }));
                }
            }
        }

        private void finish(InboxMessage message) {
            openFlows.remove(message.packetId());
            inflight.remove(message.packetId());
            call(() -> attachment.complete(message.sequence()));
        }

        @Override
        public String toString() {
            return "open=" + (reply != null) + " over=" + over + " failure=" + failure;
        }

        @Override
        public void detached(Reason reason) {
            if (reason == Reason.MOVED && store != null && reply != null) {
                attachment = null;
                goOn();
            } else {
                over = true;
            }
        }
    }

    static void check(boolean holds, String claim) {
        if (!holds) {
            throw new AssertionError(claim);
        }
    }
}
