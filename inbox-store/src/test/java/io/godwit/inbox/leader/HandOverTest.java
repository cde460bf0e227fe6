package io.godwit.inbox.leader;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.conformance.Clause;
import io.godwit.inbox.client.AttachRequest;
import io.godwit.inbox.client.GroupOutcome;
import io.godwit.inbox.client.GroupToken;
import io.godwit.inbox.client.InboxMessage;
import io.godwit.inbox.client.InsertOutcome;
import io.godwit.inbox.client.InsertRequest;
import io.godwit.inbox.format.InboxKeys;
import io.godwit.inbox.leader.InboxFixture.Given;
import io.godwit.kv.client.Resend;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.Qos;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages of shared groups go to other members when their session ends (MQTT 5.0, 4.8.2). */
class HandOverTest {
    private static final String GROUP = "$share/g/t/#";

    private final InboxFixture store = new InboxFixture();
    private int numbers;

    @AfterEach
    void close() {
        store.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"expiry", "clean start", "deletion"})
    void whatAMemberHasWhenItsSessionEndsIsGivenToOthersInOrder(String end) {
        long incarnation = member(10);
        insert(incarnation, "one", 1, GROUP);
        insert(incarnation, "plain", 1, null);
        insert(incarnation, "two", 2, GROUP);
        insert(incarnation, "three " + "x".repeat(20_000), 1, GROUP);
        end(end);

        assertThat(store.given).extracting(HandOverTest::name).containsExactly("one", "two", "three");
        assertThat(store.given)
                .extracting(Given::token)
                .containsExactly(null, new GroupToken("origin", 2, false), null);
        assertThat(store.given).allMatch(given -> given.group().text().equals(GROUP));
        assertThat(store.given).allMatch(given -> given.from().equals(new ClientId("a")));
        assertThat(store.droppedTopics()).containsExactly("t/plain");
        assertThat(store.dropped("session_ended")).isOne();
        if (!end.equals("clean start")) {
            assertThat(store.stored("a")).isZero();
        }
    }

    @Test
    @Clause({"MQTT5-4.8.2-5"})
    void whatWasSentAtQos2GoesToNobodyElse() {
        long incarnation = member(10);
        insert(incarnation, "sent at 1", 1, GROUP);
        insert(incarnation, "sent at 2", 2, GROUP);
        insert(incarnation, "received", 2, GROUP);
        insert(incarnation, "waiting", 2, GROUP);
        TestConnection connection = store.attach("a", false, 10, null);
        connection.attachment().request(3);
        store.host.runUntilIdle();
        store.host.await(
                connection.attachment().received(connection.delivered.get(2).sequence()));
        store.detach(connection);
        store.host.crashAndRestart();
        store.host.advanceMillis(11_000);

        assertThat(store.given).extracting(HandOverTest::name).containsExactly("sent at 1", "waiting");
        assertThat(store.droppedTopics()).containsExactly("t/sent at 2", "t/received");
    }

    /** Messages that the connection had received from the store but not sent at its end count as not sent. */
    @Test
    @Clause({"MQTT5-4.8.2-5"})
    void whatWasDeliveredAtQos2AndHasNotGoneOutGoesToAnother() {
        long incarnation = member(10);
        insert(incarnation, "sent", 2, GROUP);
        insert(incarnation, "unsent", 2, GROUP);
        insert(incarnation, "unsent too", 2, GROUP);
        TestConnection connection = store.attach("a", false, 10, null);
        connection.attachment().request(3);
        store.host.runUntilIdle();
        assertThat(connection.payloads()).hasSize(3);
        store.host.await(connection
                .attachment()
                .detach(-1, false, connection.delivered.get(1).sequence()));
        store.host.crashAndRestart();
        store.host.advanceMillis(11_000);

        assertThat(store.given).extracting(HandOverTest::name).containsExactly("unsent", "unsent too");
        assertThat(store.droppedTopics()).containsExactly("t/sent");
    }

    /** An earlier connection has sent it, whatever a later one did. */
    @Test
    @Clause({"MQTT5-4.8.2-5"})
    void whatAnyConnectionHasSentAtQos2StaysSent() {
        long incarnation = member(10);
        insert(incarnation, "sent", 2, GROUP);
        insert(incarnation, "unsent", 2, GROUP);
        TestConnection first = store.attach("a", false, 10, null);
        first.attachment().request(1);
        store.host.runUntilIdle();
        store.detach(first);
        TestConnection second = store.attach("a", false, 10, null);
        second.attachment().request(2);
        store.host.runUntilIdle();
        assertThat(second.delivered).extracting(InboxMessage::redelivered).containsExactly(true, false);
        store.host.await(second.attachment().detach(-1, false, 0));
        TestConnection third = store.attach("a", false, 10, null);
        third.attachment().request(2);
        store.host.runUntilIdle();
        assertThat(third.delivered).extracting(InboxMessage::redelivered).containsExactly(true, false);
        store.host.await(third.attachment().detach(-1, false, 0));
        end("expiry");

        assertThat(store.given).extracting(HandOverTest::name).containsExactly("unsent");
        assertThat(store.droppedTopics()).containsExactly("t/sent");
    }

    @Test
    void whatNobodyElseCanHaveIsCountedAndReported() {
        long incarnation = member(10);
        insert(incarnation, "one", 1, GROUP);
        insert(incarnation, "two", 2, GROUP);
        store.giveAnswer = () -> GroupOutcome.NOBODY;
        end("expiry");
        assertThat(store.droppedTopics()).containsExactly("t/one", "t/two");
        assertThat(store.dropped("session_ended")).isEqualTo(2);
        assertThat(store.stored("a")).isZero();
    }

    @Test
    void anExpiredOneIsGivenToNobody() {
        long incarnation = member(10);
        Message message = store.message("t/old", "old", 1, 5);
        insert(incarnation, message, GROUP);
        end("expiry");
        assertThat(store.given).isEmpty();
        assertThat(store.dropped("expired")).isOne();
        assertThat(store.stored("a")).isZero();
    }

    @Test
    void routesGoFirst() {
        long incarnation = member(10);
        insert(incarnation, "one", 1, GROUP);
        store.removeAnswer = false;
        end("expiry");
        assertThat(store.given).isEmpty();
        store.removeAnswer = true;
        store.host.advanceMillis(60_000);
        assertThat(store.given).extracting(HandOverTest::name).containsExactly("one");
    }

    @Test
    void whatALeaderWasGivingIsGivenByTheNextAlone() {
        long incarnation = member(10);
        insert(incarnation, "one", 2, GROUP);
        store.giveAnswer = () -> GroupOutcome.LATER;
        end("expiry");
        assertThat(store.resends).isNotEmpty().noneMatch(Resend::isAbandoned);
        List<Resend> before = List.copyOf(store.resends);
        store.resends.clear();
        store.move();
        assertThat(before).allMatch(Resend::isAbandoned);
        assertThat(store.resends).isNotEmpty().noneMatch(Resend::isAbandoned);
    }

    /** The next session of the client id does not get it, and removes nothing. */
    @Test
    void whileItIsTriedAgainTheClientMayBeginAnewAndEndAgain() {
        long incarnation = member(10);
        insert(incarnation, "one", 1, GROUP);
        insert(incarnation, "two", 2, GROUP);
        store.giveAnswer = () -> GroupOutcome.LATER;
        TestConnection next = store.attach("a", true, AttachRequest.NEVER, null);
        next.attachment().request(10);
        assertThat(store.given).hasSize(2);
        for (int i = 0; i < 200; i++) { // enough to be trimmed
            insert(next.reply.incarnation(), "new " + i, 1, null);
        }
        assertThat(next.delivered)
                .isNotEmpty()
                .noneMatch(message -> text(message).equals("one"));
        next.acknowledgeAll();
        insert(next.reply.incarnation(), "left", 1, null);
        insert(next.reply.incarnation(), "three", 1, GROUP);
        store.host.crashAndRestart();

        TestConnection back = store.attach("a");
        back.attachment().request(1000);
        store.host.runUntilIdle();
        assertThat(back.delivered).noneMatch(message -> List.of("one", "two").contains(text(message)));
        assertThat(back.delivered).anyMatch(message -> text(message).equals("left"));
        end("deletion");
        end("clean start");
        insert(store.attach("a").reply.incarnation(), "four", 1, GROUP);
        end("deletion");
        store.given.clear();
        store.giveAnswer = () -> GroupOutcome.GIVEN;
        store.host.advanceMillis(120_000);
        assertThat(store.given).extracting(HandOverTest::name).containsExactly("one", "two", "three", "four");
        assertThat(store.given.get(1).token()).isEqualTo(new GroupToken("origin", 1, true));
        assertThat(store.stored("a")).isZero();
    }

    /**
     * After a kill it is given again under the same token; only messages given before are marked as possible repeats.
     */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5})
    void aKillLosesNone(int survivors) {
        long incarnation = member(10);
        List<String> all = new ArrayList<>();
        for (int i = 0; i < 300; i++) { // more than a page
            all.add("m" + i);
            insert(incarnation, "m" + i, 2, GROUP);
        }
        Set<String> given = new HashSet<>();
        for (int kills = 0; kills < 2; kills++) {
            store.host.holdCommits();
            store.host.advanceMillis(11_000);
            for (int i = 0; i < survivors; i++) {
                store.host.commitOne(InboxKeys.prefix(TenantId.DEFAULT, new ClientId("a")));
                store.host.runUntilIdle();
            }
            store.host.crashAndRestart();
            store.given.forEach(each -> given.add(name(each)));
        }
        store.host.advanceMillis(60_000);
        store.given.forEach(each -> given.add(name(each)));
        assertThat(given).containsAll(all);
        Map<String, GroupToken> first = new HashMap<>();
        for (Given each : store.given) {
            GroupToken token = each.token();
            GroupToken before = first.putIfAbsent(name(each), token);
            assertThat(before == null || before.number() == token.number() && token.isRepeat())
                    .isTrue();
        }
        assertThat(store.stored("a")).isZero();
        assertThat(store.events).isEmpty();
    }

    // --- whatever happens

    @Test
    void noneThatWasAcknowledgedToItsPublisherIsLostWhateverHappens() {
        for (long seed = 0; seed < 200; seed++) {
            try (InboxFixture fixture = new InboxFixture()) {
                new Model(fixture, seed).play();
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("seed=" + seed + ": " + e.getMessage(), e);
            }
        }
    }

    /** One client id with successive sessions that end in different ways, and kills. */
    private static final class Model {
        private final InboxFixture store;
        private final Random random;
        private final Set<String> owed = new HashSet<>();
        private final Set<String> delivered = new HashSet<>();
        private final Set<String> acknowledged = new HashSet<>();
        private TestConnection connection;
        private long incarnation;
        private int number;

        Model(InboxFixture store, long seed) {
            this.store = store;
            this.random = new Random(seed);
            store.giveAnswer = () -> random.nextInt(4) == 0 ? GroupOutcome.LATER : GroupOutcome.GIVEN;
        }

        void play() {
            for (int step = 0; step < 150; step++) {
                step();
                if (random.nextInt(4) > 0) {
                    store.host.runUntilIdle();
                }
            }
            store.host.releaseCommits();
            store.client.delete(
                    InboxFixture.info("a").tenant(), InboxFixture.info("a").clientId());
            store.host.advanceMillis(600_000);
            check();
        }

        private void step() {
            int choice = random.nextInt(20);
            if (choice < 9) {
                insert();
            } else if (choice < 11) {
                attach(random.nextInt(3) == 0);
            } else if (choice < 13 && connection != null) {
                take();
            } else if (choice < 14 && connection != null) {
                connection.attachment().detach(random.nextBoolean() ? 10 : -1, false);
                connection = null;
            } else if (choice < 15) {
                store.host.advanceMillis(random.nextInt(15_000));
            } else if (choice < 16) {
                store.client.delete(
                        InboxFixture.info("a").tenant(), InboxFixture.info("a").clientId());
                connection = null;
            } else if (choice < 17) {
                store.host.holdCommits();
            } else if (choice < 18) {
                store.host.releaseCommits();
            } else {
                connection = null;
                store.host.crashAndRestart(random.nextInt(4));
            }
        }

        private void attach(boolean cleanStart) {
            store.host.releaseCommits();
            store.host.runUntilIdle();
            connection = store.attach("a", cleanStart, random.nextInt(3) == 0 ? 0 : 100, null);
            incarnation = connection.reply.incarnation();
            connection.attachment().request(random.nextInt(5));
        }

        private void take() {
            store.host.runUntilIdle();
            for (InboxMessage message : connection.take()) {
                String name = text(message);
                if (message.released()) {
                    connection.attachment().complete(message.sequence());
                } else {
                    delivered.add(name);
                    if (random.nextBoolean() && message.qos() == Qos.AT_LEAST_ONCE) {
                        acknowledged.add(name);
                        connection.attachment().acknowledge(new long[] {message.sequence()});
                    }
                }
            }
        }

        private void insert() {
            int qos = 1 + random.nextInt(2);
            int mine = number++;
            String name = "m" + mine;
            Message message = store.message("t/" + name, name, qos, -1);
            boolean isOfGroup = random.nextInt(4) > 0;
            InsertRequest request = request(incarnation, message, isOfGroup ? GROUP : null, qos == 2 ? mine : -1);
            store.client.insert(request).whenComplete((outcomes, failure) -> {
                if (failure == null && outcomes.get(0) == InsertOutcome.STORED && isOfGroup) {
                    owed.add(name);
                }
            });
        }

        private void check() {
            Map<String, GroupToken> tokens = new HashMap<>();
            Set<String> given = new HashSet<>();
            for (Given each : store.given) {
                String name = name(each);
                given.add(name);
                GroupToken token = each.token();
                GroupToken before = tokens.put(name, token == null ? new GroupToken("", 0, true) : token);
                if (token != null) {
                    assertThat(token.number()).isEqualTo(Long.parseLong(name.substring(1)));
                    assertThat(before == null || token.isRepeat())
                            .as("a repeated delivery has a token that is marked as a repeat")
                            .isTrue();
                    assertThat(delivered)
                            .as("a message sent at QoS 2 is not given to another member")
                            .doesNotContain(name);
                }
            }
            Set<String> lost = new HashSet<>(owed);
            lost.removeAll(given);
            lost.removeAll(acknowledged);
            lost.removeIf(name -> delivered.contains(name) && tokenOf(name));
            // messages that may have been sent, as far as the store knows, are not given to others either
            lost.removeIf(name -> tokenOf(name) && store.droppedTopics().contains("t/" + name));
            assertThat(lost).isEmpty();
            assertThat(store.stored("a")).isZero();
        }

        /** Whether it had QoS 2. */
        private boolean tokenOf(String name) {
            return qos2.contains(name);
        }

        private final Set<String> qos2 = new HashSet<>();

        private InsertRequest request(long to, Message message, String group, long token) {
            if (token >= 0) {
                qos2.add("m" + token);
            }
            return HandOverTest.request(to, message, group, token);
        }
    }

    // --- steps

    /** A session without a connection. */
    private long member(long expirySeconds) {
        TestConnection connection = store.attach("a", false, expirySeconds, null);
        store.host.await(connection.attachment().subscribe(List.of(InboxFixture.subscription(GROUP))));
        store.detach(connection);
        return connection.reply.incarnation();
    }

    private void end(String how) {
        switch (how) {
            case "expiry" -> store.host.advanceMillis(11_000);
            case "clean start" -> store.attach("a", true, AttachRequest.NEVER, null);
            case "deletion" ->
                store.host.await(store.client.delete(
                        InboxFixture.info("a").tenant(), InboxFixture.info("a").clientId()));
            default -> throw new IllegalArgumentException(how);
        }
        store.host.runUntilIdle();
    }

    private void insert(long incarnation, String payload, int qos, String group) {
        String topic = "t/" + payload.split(" x", 2)[0];
        insert(incarnation, store.message(topic, payload, qos, -1), group);
    }

    private void insert(long incarnation, Message message, String group) {
        int number = numbers++;
        InsertRequest request = request(incarnation, message, group, message.qos() == Qos.EXACTLY_ONCE ? number : -1);
        assertThat(store.host.await(store.client.insert(request))).containsExactly(InsertOutcome.STORED);
    }

    /** @param token below 0 for none */
    private static InsertRequest request(long incarnation, Message message, String group, long token) {
        InsertRequest.Target target = new InsertRequest.Target(
                new ClientId("a"), incarnation, message.qos(), false, new int[0], group, false);
        return new InsertRequest(
                TenantId.DEFAULT, message, List.of(target), token < 0 ? null : "origin", Math.max(0, token), 0);
    }

    private static String name(Given given) {
        return new String(given.message().payload(), StandardCharsets.UTF_8).split(" x", 2)[0];
    }

    private static String text(InboxMessage message) {
        return new String(message.message().payload(), StandardCharsets.UTF_8);
    }
}
