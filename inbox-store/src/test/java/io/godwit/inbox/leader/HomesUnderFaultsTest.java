package io.godwit.inbox.leader;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.inbox.client.AttachReply;
import io.godwit.inbox.client.AttachRequest;
import io.godwit.inbox.client.ContinueRequest;
import io.godwit.inbox.client.InboxAttachment;
import io.godwit.inbox.client.InboxListener;
import io.godwit.inbox.client.InboxMessage;
import io.godwit.inbox.client.InsertOutcome;
import io.godwit.inbox.client.InsertRequest;
import io.godwit.kv.client.RequestOrder;
import io.godwit.kv.client.Resend;
import io.godwit.kv.testing.InMemoryNode;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Qos;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Publishers and subscribers on three nodes, while homes are handed over, deposed and confused, and links end. Nothing
 * acknowledged is lost, order holds, and QoS 2 is once.
 */
@Tag("in-process")
class HomesUnderFaultsTest {
    private static final int RUNS = 12;
    private static final int STEPS = 4000;

    private Random random = new Random(0);
    private HomesFixture homes;
    private final List<Subscriber> subscribers = new ArrayList<>();
    private final List<Publisher> publishers = new ArrayList<>();
    private int moves;
    private int ends;
    private int continued;
    private int continuedAfterLoss;
    private int deposed;
    private int repeated;

    @ParameterizedTest
    @ValueSource(longs = {1, 1001, 2001, 3001})
    void nothingAcknowledgedIsLost(long firstSeed) {
        for (long seed = firstSeed; seed < firstSeed + RUNS; seed++) {
            try {
                run(seed);
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("seed " + seed, e);
            }
        }
        assertThat(moves).isPositive();
        assertThat(ends).isPositive();
        assertThat(continued).as("attachments that were continued").isPositive();
        assertThat(continuedAfterLoss)
                .as("attachments that were continued after the loss of their home")
                .isPositive();
        assertThat(deposed).as("deposed homes that still acted as leaders").isPositive();
        assertThat(repeated).as("publishes that failed and were repeated").isPositive();
    }

    void run(long seed) {
        random = new Random(seed);
        subscribers.clear();
        publishers.clear();
        try (HomesFixture fixture = new HomesFixture(3, 6, seed % 2 == 0)) {
            homes = fixture;
            for (int i = 0; i < 5; i++) {
                Subscriber subscriber = new Subscriber("c" + seed + "-" + i);
                subscriber.open();
                homes.run();
                subscribers.add(subscriber);
            }
            for (int i = 0; i < 4; i++) {
                publishers.add(new Publisher(i, 1 + i % 2));
            }
            for (int i = 0; i < STEPS; i++) {
                step();
            }
            heal();
            subscribers.forEach(this::check);
        }
    }

    private void step() {
        int what = random.nextInt(1000);
        if (what < 15) {
            moves++;
            homes.move(any(subscribers).id, random.nextInt(3));
        } else if (what < 20) {
            ends++;
            homes.net.end(InMemoryNode.id(random.nextInt(3)), InMemoryNode.id(random.nextInt(3)), "for the test");
        } else if (what < 40) {
            homes.net.link(InMemoryNode.id(random.nextInt(3)), InMemoryNode.id(random.nextInt(3)));
        } else if (what < 55) {
            homes.nodes.get(random.nextInt(3)).believes = random.nextInt(3);
        } else if (what < 100) {
            homes.nodes.get(random.nextInt(3)).believes = null;
        } else if (what < 102) {
            homes.host.killNode(random.nextInt(3), random.nextInt(3));
        } else if (what < 104) {
            crash(random.nextInt(3));
        } else if (what < 109) {
            byte[] key = HomesFixture.key(any(subscribers).id);
            deposed += homes.host.depose(key, random.nextInt(3), random.nextInt(3)) ? 1 : 0;
        } else if (what < 115) {
            homes.host.tellDeposed(random.nextInt(3));
        } else if (what < 120) {
            homes.host.elect(random.nextInt(3));
        } else if (what < 140) {
            homes.host.advanceMillis(random.nextInt(30));
        } else if (what < 300) {
            any(publishers).act();
        } else if (what < 450) {
            any(subscribers).act();
        } else {
            homes.step(random);
        }
    }

    /** Edges on other nodes lose their home, without a report from its leaders. */
    private void crash(int node) {
        for (int i = 0; i < 3; i++) {
            homes.net.end(InMemoryNode.id(node), InMemoryNode.id(i), "for the test");
        }
        homes.host.killNode(node, random.nextInt(3));
        homes.host.elect((node + 1) % 3);
    }

    private <T> T any(List<T> of) {
        return of.get(random.nextInt(of.size()));
    }

    private void heal() {
        homes.nodes.forEach(node -> node.believes = null);
        for (int i = 0; i < 3; i++) {
            homes.host.tellDeposed(i);
        }
        homes.host.elect(0);
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < i; j++) {
                homes.net.link(InMemoryNode.id(i), InMemoryNode.id(j));
            }
        }
        publishers.forEach(publisher -> publisher.isEnding = true);
        for (int i = 0; i < 400; i++) {
            homes.advance(50);
            publishers.forEach(Publisher::act);
            for (int j = 0; j < 60; j++) {
                subscribers.forEach(Subscriber::act);
            }
        }
        for (Publisher publisher : publishers) {
            assertThat(publisher.acknowledged)
                    .as("every message is acknowledged in the end")
                    .isEqualTo(publisher.published.size());
        }
    }

    private void check(Subscriber subscriber) {
        for (Publisher publisher : publishers) {
            List<Integer> wanted = new ArrayList<>();
            for (int i = 0; i < publisher.published.size(); i++) {
                if (publisher.published.get(i).contains(subscriber)) {
                    wanted.add(i);
                }
            }
            List<Integer> got = subscriber.got.getOrDefault(publisher.number, List.of());
            if (publisher.qos == 2) {
                assertThat(got).as("QoS 2 of " + publisher.number).isEqualTo(wanted);
            } else {
                List<Integer> last = new ArrayList<>();
                for (int i = 0; i < got.size(); i++) {
                    if (got.lastIndexOf(got.get(i)) == i) {
                        last.add(got.get(i));
                    }
                }
                assertThat(last).as("the last copies of " + publisher.number).isEqualTo(wanted);
            }
        }
    }

    private final class Publisher {
        private final int number;
        private final int qos;
        private final List<Set<Subscriber>> published = new ArrayList<>();
        private final Map<Integer, CompletableFuture<List<InsertOutcome>>> open = new TreeMap<>();
        /** In order: all lower numbers are acknowledged. */
        private int acknowledged;

        private int next;
        private int node;
        private boolean hasFailed;
        private boolean isEnding;
        private RequestOrder order = new RequestOrder();

        Publisher(int number, int qos) {
            this.number = number;
            this.qos = qos;
            this.node = random.nextInt(3);
        }

        void act() {
            settle();
            if (hasFailed) {
                if (open.isEmpty()) { // its client connects again
                    repeated++;
                    hasFailed = false;
                    next = acknowledged;
                    order = new RequestOrder();
                    node = random.nextInt(3);
                }
            } else if (open.size() < 4 && (next < published.size() || !isEnding)) {
                publish();
            }
        }

        private void settle() {
            for (var each : List.copyOf(open.entrySet())) {
                CompletableFuture<List<InsertOutcome>> answer = each.getValue();
                if (!answer.isDone()) {
                    if (qos == 1 || !hasFailed) {
                        return; // answers go out in order
                    }
                    continue;
                }
                open.remove(each.getKey());
                if (answer.isCompletedExceptionally()) {
                    hasFailed = true;
                } else if (!hasFailed && each.getKey() == acknowledged) {
                    answer.join()
                            .forEach(outcome ->
                                    assertThat(outcome).isIn(InsertOutcome.STORED, InsertOutcome.ALREADY_THERE));
                    acknowledged++;
                }
            }
        }

        private void publish() {
            if (next == published.size()) {
                Set<Subscriber> to = new LinkedHashSet<>(List.of(any(subscribers), any(subscribers)));
                published.add(to);
            }
            List<InsertRequest.Target> targets = published.get(next).stream()
                    .map(each -> InboxFixture.target(each.id, each.incarnation, Qos.of(qos)))
                    .toList();
            InsertRequest request = new InsertRequest(
                    TenantId.DEFAULT,
                    homes.message(number + ":" + next, qos),
                    targets,
                    qos == 2 ? "p" + number : null,
                    qos == 2 ? next + 1 : 0,
                    qos == 2 ? acknowledged + 1 : 0,
                    false,
                    qos == 2 ? order : null,
                    Resend.ALWAYS);
            open.put(next, homes.client(node).insert(request));
            next++;
        }
    }

    private final class Subscriber {
        private final String id;
        private long incarnation;
        /** By publisher: numbers in the order the application got them. */
        private final Map<Integer, List<Integer>> got = new HashMap<>();

        private final Set<Long> seen = new HashSet<>();
        /** The client's own memory, which outlives connections. */
        private final Map<Integer, String> openFlows = new HashMap<>();

        private final Map<Long, InboxMessage> unanswered = new LinkedHashMap<>();
        private int node;
        private @Nullable Listener listener;
        private @Nullable InboxAttachment attachment;
        private @Nullable AttachReply reply;
        private long sentUpTo;
        private boolean mustGoOn;
        private boolean wasLost;
        private int tries;

        Subscriber(String id) {
            this.id = id;
        }

        private void open() {
            node = random.nextInt(3);
            listener = new Listener();
            mustGoOn = false;
            attachment = null;
            Listener own = listener;
            homes.client(node)
                    .attach(new AttachRequest(InboxFixture.info(id), false, AttachRequest.NEVER, null), own)
                    .handle((answer, failure) -> {
                        if (listener != own) {
                            return null;
                        }
                        if (failure != null) {
                            lost();
                        } else {
                            assertThat(incarnation).isIn(0L, answer.incarnation());
                            incarnation = answer.incarnation();
                            reply = answer;
                            sentUpTo = 0;
                            unanswered.clear();
                            attachment = answer.attachment();
                            attachment.request(20);
                        }
                        return null;
                    });
        }

        private void lost() {
            listener = null;
            attachment = null;
            mustGoOn = false;
        }

        private void goOn() {
            AttachReply before = reply;
            listener = new Listener();
            mustGoOn = false;
            Listener own = listener;
            long[] left = unanswered.keySet().stream()
                    .mapToLong(each -> each)
                    .sorted()
                    .toArray();
            homes.client(node)
                    .continueAttachment(
                            new ContinueRequest(
                                    InboxFixture.info(id), incarnation, before.attachNumber(), sentUpTo, left),
                            own)
                    .whenComplete((next, failure) -> {
                        if (listener != own) {
                            return;
                        }
                        if (failure != null && ++tries < 10) {
                            mustGoOn = true;
                        } else if (failure != null || next.isEmpty()) {
                            lost();
                        } else {
                            continued++;
                            continuedAfterLoss += wasLost ? 1 : 0;
                            attachment = next.get();
                            attachment.request(Math.max(1, 20 - unanswered.size()));
                        }
                    });
        }

        void act() {
            if (listener == null) {
                open();
            } else if (mustGoOn) {
                goOn();
            } else if (attachment != null && random.nextInt(200) == 0 && !publishers.get(0).isEnding) {
                InboxAttachment leaving = attachment;
                lost();
                leaving.detach(-1, false);
            } else if (attachment != null && !unanswered.isEmpty()) {
                answer(List.copyOf(unanswered.values()).get(random.nextInt(unanswered.size())));
            }
        }

        private void answer(InboxMessage message) {
            InboxAttachment on = attachment;
            long sequence = message.sequence();
            if (message.qos() == Qos.AT_LEAST_ONCE) {
                unanswered.remove(sequence);
                on.acknowledge(new long[] {sequence});
                on.request(1);
            } else if (message.released()) {
                finish(on, message);
            } else {
                on.received(sequence).whenComplete((nothing, failure) -> {
                    if (failure == null && attachment == on && unanswered.containsKey(sequence)) {
                        finish(on, message);
                    }
                });
            }
        }

        private void finish(InboxAttachment on, InboxMessage message) {
            unanswered.remove(message.sequence());
            openFlows.remove(message.packetId());
            on.complete(message.sequence());
            on.request(1);
        }

        private void take(InboxMessage message) {
            String payload = new String(message.message().payload(), StandardCharsets.UTF_8);
            sentUpTo = Math.max(sentUpTo, message.sequence());
            unanswered.put(message.sequence(), message);
            if (message.released()) {
                return;
            }
            if (message.qos() == Qos.EXACTLY_ONCE) {
                String known = openFlows.putIfAbsent(message.packetId(), payload);
                if (known != null) {
                    assertThat(payload).as("of packet id " + message.packetId()).isEqualTo(known);
                    return;
                }
            } else if (!seen.add(message.sequence())) {
                return; // a repetition
            }
            int colon = payload.indexOf(':');
            got.computeIfAbsent(Integer.parseInt(payload.substring(0, colon)), key -> new ArrayList<>())
                    .add(Integer.parseInt(payload.substring(colon + 1)));
        }

        private final class Listener implements InboxListener {
            @Override
            public void deliver(List<InboxMessage> messages) {
                if (listener == this) {
                    messages.forEach(Subscriber.this::take);
                }
            }

            @Override
            public void detached(Reason reason) {
                if (listener != this) {
                    return;
                }
                attachment = null;
                if ((reason == Reason.MOVED || reason == Reason.LOST) && reply != null) {
                    tries = 0;
                    mustGoOn = true;
                    wasLost = reason == Reason.LOST;
                } else {
                    lost();
                }
            }
        }
    }
}
