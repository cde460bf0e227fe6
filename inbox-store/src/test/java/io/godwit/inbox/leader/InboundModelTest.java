package io.godwit.inbox.leader;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.inbox.client.AttachReply;
import io.godwit.inbox.client.AttachRequest;
import io.godwit.inbox.client.ContinueRequest;
import io.godwit.inbox.client.InboxAttachment;
import io.godwit.inbox.client.InboxAttachment.Inbound;
import io.godwit.inbox.client.InboxFailure;
import io.godwit.inbox.format.InboxKeys;
import io.godwit.inbox.protocol.InboxId;
import io.godwit.kv.client.RangeException;
import io.godwit.plugin.message.Message;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * One client that publishes at QoS 2 over connections that come and go, with a store that crashes, refuses and changes
 * leaders, from a seed. Every stored message is distributed under one token, whether or not its client comes back; a
 * packet id is free after PUBCOMP.
 */
class InboundModelTest {
    private static final int STEPS = 200;
    private static final int PACKET_IDS = 4;

    @Test
    void whatWasStoredIsDistributedUnderOneTokenWhateverHappens() {
        for (long seed = 0; seed < 300; seed++) {
            run(seed, key -> false);
        }
    }

    @Test
    void theModelCatchesAForgottenRecord() {
        int failures = 0;
        for (long seed = 0; seed < 60; seed++) {
            try {
                run(seed, key -> key[prefixLength(key)] == InboxKeys.INBOUND);
            } catch (AssertionError caught) {
                failures++;
            }
        }
        assertThat(failures).isPositive();
    }

    private static int prefixLength(byte[] key) {
        InboxId id = InboxKeys.inboxOf(key);
        return InboxKeys.prefix(id.tenant(), id.clientId()).length;
    }

    private static void run(long seed, Predicate<byte[]> forgets) {
        try (Run run = new Run(seed, forgets)) {
            run.play();
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError("seed=" + seed + ": " + e.getMessage(), e);
        }
    }

    private static final class Run implements AutoCloseable {
        private final Random random;
        private final InboxFixture store;
        private final List<AssertionError> violations = new ArrayList<>();

        /** The client's message under each packet id in use: published, and not yet answered by PUBCOMP. */
        private final Map<Integer, Integer> used = new HashMap<>();
        /** Packet ids whose PUBREC has come. */
        private final Set<Integer> recorded = new HashSet<>();

        private final Set<Integer> stored = new HashSet<>();
        private final Set<Integer> distributed = new HashSet<>();
        private final Map<Integer, Long> tokens = new HashMap<>();
        private int seen;
        private int next;
        private @Nullable InboxAttachment attachment;
        /** Rises with each connection: answers to an earlier one do not reach the client. */
        private int connection;
        /** Commands that a replaced leader has not begun, in order. */
        private final List<Runnable> unbegun = new ArrayList<>();

        private final boolean leadersMove;

        Run(long seed, Predicate<byte[]> forgets) {
            random = new Random(seed);
            leadersMove = seed % 2 == 1;
            store = new InboxFixture(
                    InboxFixture.settings(InboxFixture.LATE_PUSH, random.nextInt(3)), 1 + random.nextInt(2), forgets);
        }

        void play() {
            attach();
            store.host.runUntilIdle();
            for (int step = 0; step < STEPS; step++) {
                step();
                if (random.nextInt(3) > 0) {
                    store.host.runUntilIdle();
                }
                lookAtPublished();
            }
            store.host.releaseCommits();
            store.host.releaseReads();
            store.publishAnswer = true;
            store.host.runUntilIdle(); // lets a pending attach finish, or its connection would stay
            detach();
            store.host.runUntilIdle();
            store.host.advanceMillis(120_000);
            lookAtPublished();
            assertThat(violations).isEmpty();
            assertThat(distributed).as("stored and distributed").containsAll(stored);
        }

        private void step() {
            int choice = random.nextInt(100);
            if (choice < 35) {
                publish(1 + random.nextInt(PACKET_IDS));
            } else if (choice < 55) {
                release(1 + random.nextInt(PACKET_IDS));
            } else if (choice < 65) {
                attach();
            } else if (choice < 70) {
                detach();
            } else if (choice < 75) {
                store.publishAnswer = random.nextBoolean();
                store.host.advanceMillis(random.nextInt(3000));
            } else if (choice < 80) {
                store.host.holdCommits();
            } else if (choice < 82) {
                store.host.holdReads();
            } else if (choice < 90) {
                store.host.releaseCommits();
                store.host.releaseReads();
            } else if (choice < 93) {
                store.host.failWrites(RangeException.Cause.OVERLOADED);
                store.host.runUntilIdle();
                store.host.acceptWrites();
            } else if (choice < 96) {
                store.host.changeLeaders();
                lost();
            } else {
                lost();
                store.crash(random.nextInt(5));
            }
            if (leadersMove && random.nextInt(10) == 0) {
                store.host.moveLeaders();
            }
        }

        /** The connection continues at the next leader; unanswered calls are repeated. */
        private void goOn(AttachReply reply, int mine) {
            List<Runnable> calls = new ArrayList<>(unbegun);
            unbegun.clear();
            if (mine != connection) {
                return;
            }
            attachment = null;
            TestConnection next = listener(mine, reply);
            store.client
                    .continueAttachment(
                            new ContinueRequest(InboxFixture.info("p"), reply.incarnation(), 0, new long[0]), next)
                    .whenComplete((answer, failure) -> {
                        if (failure == null && answer.isPresent() && mine == connection) {
                            attachment = answer.get();
                            calls.forEach(Runnable::run);
                        } else if (failure == null && answer.isPresent()) {
                            answer.get().detach(-1, false);
                        }
                    });
        }

        private TestConnection listener(int mine, @Nullable AttachReply before) {
            return new TestConnection() {
                @Override
                public void detached(Reason reason) {
                    super.detached(reason);
                    AttachReply known = before != null ? before : reply;
                    if (reason == Reason.MOVED && known != null) {
                        goOn(known, mine);
                    }
                }
            };
        }

        private static boolean hasMoved(@Nullable Throwable failure) {
            return failure != null && InboxFailure.of(failure) == InboxFailure.MOVED;
        }

        private void lost() {
            attachment = null;
            unbegun.clear();
            connection++;
        }

        private void attach() {
            lost();
            int mine = connection;
            TestConnection listener = listener(mine, null);
            store.client
                    .attach(new AttachRequest(InboxFixture.info("p"), false, AttachRequest.NEVER, null), listener)
                    .whenComplete((reply, failure) -> {
                        listener.reply = reply;
                        if (reply != null && mine == connection && listener.ends.isEmpty()) {
                            opened(reply);
                        }
                    });
        }

        private void opened(AttachReply reply) {
            attachment = reply.attachment();
            for (int packetId : reply.inbound()) {
                check(used.containsKey(packetId), "a packet id came back that PUBCOMP had freed: " + packetId);
            }
            // a client repeats messages without a PUBREC, and releases those with one
            for (int packetId : List.copyOf(used.keySet())) {
                if (recorded.contains(packetId)) {
                    release(packetId);
                } else if (random.nextInt(4) > 0) {
                    send(packetId);
                }
            }
        }

        private void detach() {
            InboxAttachment open = attachment;
            if (open != null) {
                open.detach(-1, false);
                lost();
            }
        }

        private void publish(int packetId) {
            if (attachment == null || used.containsKey(packetId)) {
                return;
            }
            used.put(packetId, next++);
            send(packetId);
        }

        private void send(int packetId) {
            InboxAttachment open = attachment;
            Integer number = used.get(packetId);
            if (open == null || number == null) {
                return;
            }
            int mine = connection;
            open.receive(packetId, store.message(number + ".", 2)).whenComplete((inbound, failure) -> {
                if (inbound != null) {
                    received(open, mine, packetId, number, inbound);
                } else if (hasMoved(failure) && mine == connection) {
                    unbegun.add(() -> send(packetId));
                }
            });
        }

        private void received(InboxAttachment open, int mine, int packetId, int number, Inbound inbound) {
            boolean isFirst = stored.add(number);
            if (inbound.isDistributed()) {
                answered(mine, packetId, number);
                return;
            }
            Message repeated = inbound.message();
            check(repeated == null ? isFirst : numberIn(repeated.payload()) == number, "another message");
            distributedUnder(number, inbound.tokenNumber());
            if (random.nextInt(5) == 0) {
                return; // a receiver could not take it
            }
            distributed.add(number);
            mark(open, mine, packetId, number, inbound.tokenNumber());
        }

        private void mark(InboxAttachment open, int mine, int packetId, int number, long token) {
            open.distributed(packetId, token).whenComplete((done, failure) -> {
                if (failure == null) {
                    answered(mine, packetId, number);
                } else if (hasMoved(failure) && mine == connection) {
                    unbegun.add(() -> mark(attachment, mine, packetId, number, token));
                }
            });
        }

        private void answered(int mine, int packetId, int number) {
            lookAtPublished();
            check(distributed.contains(number), "PUBREC for a message that was not distributed: " + number);
            if (mine == connection && used.containsKey(packetId) && used.get(packetId) == number) {
                recorded.add(packetId);
            }
        }

        private void release(int packetId) {
            InboxAttachment open = attachment;
            Integer number = used.get(packetId);
            if (open == null || number == null || !recorded.contains(packetId)) {
                return;
            }
            int mine = connection;
            open.release(packetId).whenComplete((wasKnown, failure) -> {
                if (failure == null && mine == connection && number.equals(used.get(packetId))) {
                    used.remove(packetId);
                    recorded.remove(packetId);
                } else if (hasMoved(failure) && mine == connection) {
                    unbegun.add(() -> release(packetId));
                }
            });
        }

        /** Reads the messages that the store has distributed by itself. */
        private void lookAtPublished() {
            for (; seen < store.published.size(); seen++) {
                InboxFixture.Published published = store.published.get(seen);
                int number = numberIn(published.message().payload());
                distributedUnder(number, published.number());
                stored.add(number);
                if (Boolean.TRUE.equals(published.answer())) {
                    distributed.add(number);
                }
            }
        }

        private void distributedUnder(int number, long token) {
            Long before = tokens.putIfAbsent(number, token);
            check(before == null || before == token, "distributed under two tokens: " + number);
        }

        private static int numberIn(byte[] payload) {
            String text = new String(payload, StandardCharsets.UTF_8);
            return Integer.parseInt(text.substring(0, text.indexOf('.')));
        }

        /** An assertion that fails inside a callback would go unnoticed. */
        private void check(boolean holds, String claim) {
            if (!holds) {
                violations.add(new AssertionError(claim));
            }
        }

        @Override
        public void close() {
            store.close();
        }
    }
}
