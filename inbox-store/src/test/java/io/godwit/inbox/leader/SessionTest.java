package io.godwit.inbox.leader;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.conformance.Clause;
import io.godwit.inbox.client.AttachReply;
import io.godwit.inbox.client.AttachRequest;
import io.godwit.inbox.client.InboxListener;
import io.godwit.inbox.client.InsertOutcome;
import io.godwit.inbox.client.SessionOwner;
import io.godwit.inbox.client.StoredSubscription;
import io.godwit.inbox.client.Will;
import io.godwit.inbox.format.InboxKeys;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.Resend;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.SessionEndCause;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SessionTest {
    private final InboxFixture store = new InboxFixture();

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    void subscriptionsAreCommittedAndComeBack() {
        TestConnection connection = store.attach("a");
        assertThat(store.host.await(connection
                        .attachment()
                        .subscribe(List.of(InboxFixture.subscription("x/+"), InboxFixture.subscription("$share/g/y")))))
                .containsExactly(true, true);
        assertThat(store.host.await(connection.attachment().subscribe(List.of(InboxFixture.subscription("x/+")))))
                .containsExactly(false);
        store.host.crashAndRestart();
        TestConnection back = store.attach("a");
        assertThat(back.reply.subscriptions())
                .containsExactlyInAnyOrder(InboxFixture.subscription("x/+"), InboxFixture.subscription("$share/g/y"));
        assertThat(store.host.await(back.attachment()
                        .unsubscribe(List.of(InboxFixture.subscription("x/+").filter()))))
                .containsExactly(true);
        store.host.crashAndRestart();
        assertThat(store.attach("a").reply.subscriptions()).containsExactly(InboxFixture.subscription("$share/g/y"));
    }

    /** Changes of many filters, several under way at once, compared with a set; answered changes survive a crash. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void manySubscriptionsComeBackAsTheyWereChanged(long seed) {
        Random random = new Random(seed);
        TestConnection connection = store.attach("a");
        Set<StoredSubscription> expected = new HashSet<>();
        for (int round = 0; round < 20; round++) {
            List<CompletableFuture<?>> answers = new ArrayList<>();
            for (int step = random.nextInt(30); step >= 0; step--) {
                StoredSubscription one = InboxFixture.subscription("f/" + random.nextInt(300));
                if (random.nextInt(3) == 0) {
                    answers.add(connection.attachment().unsubscribe(List.of(one.filter())));
                    expected.remove(one);
                } else {
                    answers.add(connection.attachment().subscribe(List.of(one)));
                    expected.add(one);
                }
            }
            answers.forEach(store.host::await);
            store.host.crashAndRestart();
            connection = store.attach("a");
            assertThat(connection.reply.subscriptions()).containsExactlyInAnyOrderElementsOf(expected);
        }
        store.attach("a", true, 60, null);
        assertThat(store.stored("a", InboxKeys.FILTERS))
                .as("a clean start removes the subscriptions")
                .isZero();
    }

    @Test
    void theSameSubscriptionAgainIsNotWrittenAgain() {
        TestConnection connection = store.attach("a");
        StoredSubscription[] many = IntStream.range(0, 1000)
                .mapToObj(i -> InboxFixture.subscription("f/" + i))
                .toArray(StoredSubscription[]::new);
        store.host.await(connection.attachment().subscribe(List.of(many)));
        long before = store.host.proposedBytes();
        for (int i = 0; i < 100; i++) {
            store.host.await(connection.attachment().subscribe(List.of(many[i])));
        }
        assertThat(store.host.proposedBytes() - before).isLessThan(100 * 64);
        before = store.host.proposedBytes();
        store.host.await(connection.attachment().subscribe(List.of(InboxFixture.subscription("one/more"))));
        assertThat(store.host.proposedBytes() - before)
                .as("only one page of subscriptions is written, not all")
                .isLessThan(1024);
    }

    @Test
    @Clause("MQTT5-4.1.0-2")
    void aSessionEndsWhenItsExpiryHasPassedAndTakesItsRoutesWithIt() {
        TestConnection connection = store.attach("a", false, 60, null);
        store.host.await(connection.attachment().subscribe(List.of(InboxFixture.subscription("x"))));
        long incarnation = connection.reply.incarnation();
        store.detach(connection);
        store.insert("a", incarnation, store.message("m", 1));
        store.host.advanceMillis(59_999);
        assertThat(store.insert("a", incarnation, store.message("m", 1))).isEqualTo(InsertOutcome.STORED);
        store.host.advanceMillis(1);

        assertThat(store.removed)
                .containsExactly(new InboxFixture.Removed(
                        new ClientId("a"),
                        incarnation,
                        List.of(InboxFixture.subscription("x").filter())));
        assertThat(store.stored("a")).isZero();
        assertThat(store.dropped("session_ended")).isEqualTo(2);
        assertThat(store.insert("a", incarnation, store.message("m", 1))).isEqualTo(InsertOutcome.NO_SESSION);
        assertThat(store.attach("a").reply.sessionPresent()).isFalse();
        assertThat(store.otherEvents).containsExactly(ended(SessionEndCause.EXPIRED));
    }

    @Test
    void aSessionIsThatOfTheUserWhoCameLast() {
        assertThat(owner("user")).isEqualTo(SessionOwner.NO_SESSION);
        TestConnection connection = store.attach("a", false, 60, null);
        assertThat(owner("user")).isEqualTo(SessionOwner.SAME_USER);
        assertThat(owner("other")).isEqualTo(SessionOwner.OTHER_USER);
        assertThat(owner(null)).isEqualTo(SessionOwner.OTHER_USER);
        store.detach(connection);
        store.host.advanceMillis(59_999);
        assertThat(owner("other")).isEqualTo(SessionOwner.OTHER_USER);
        store.host.advanceMillis(1);
        assertThat(owner("other")).isEqualTo(SessionOwner.NO_SESSION);

        store.host.await(store.client.attach(new AttachRequest(client(null), true, 60, null), new TestConnection()));
        assertThat(owner(null)).isEqualTo(SessionOwner.SAME_USER);
        assertThat(owner("other")).isEqualTo(SessionOwner.NO_USER);
    }

    private SessionOwner owner(@Nullable String userName) {
        return store.host.await(store.client.owner(client(userName)));
    }

    private static ClientInfo client(@Nullable String userName) {
        return new ClientInfo(TenantId.DEFAULT, new ClientId("a"), userName, "127.0.0.1:1000", 5);
    }

    private static BrokerEvent ended(SessionEndCause cause) {
        return new BrokerEvent.SessionEnded(TenantId.DEFAULT, new ClientId("a"), cause);
    }

    /** A session that was never to outlive its connection does not count as ended. */
    @Test
    void theEndOfASessionIsToldWithItsCause() {
        store.detach(store.attach("a", false, 0, will("bye", 0)), -1, false);
        assertThat(store.otherEvents).containsExactly(willSuppressed());
        store.attach("a", false, 60, null);
        store.detach(store.attach("a", true, 60, null), 0, false);
        store.absent("a");
        store.host.await(store.client.delete(TenantId.DEFAULT, new ClientId("a"), Resend.ALWAYS));
        store.absent("a");
        store.host.await(store.client.delete(TenantId.DEFAULT, new ClientId("a")));
        store.detach(store.attach("a", false, 1, null));
        store.host.advanceMillis(1000);
        assertThat(store.otherEvents)
                .containsExactly(
                        willSuppressed(),
                        ended(SessionEndCause.CLEAN_START),
                        ended(SessionEndCause.GIVEN_UP),
                        ended(SessionEndCause.GIVEN_UP),
                        ended(SessionEndCause.DELETED),
                        ended(SessionEndCause.EXPIRED));
    }

    private static BrokerEvent willDelayed(int seconds) {
        return new BrokerEvent.WillDelayed(TenantId.DEFAULT, new ClientId("a"), "will", Duration.ofSeconds(seconds));
    }

    private static BrokerEvent willPublished() {
        return new BrokerEvent.WillPublished(TenantId.DEFAULT, new ClientId("a"), "will");
    }

    private static BrokerEvent willSuppressed() {
        return new BrokerEvent.WillSuppressed(TenantId.DEFAULT, new ClientId("a"), "will");
    }

    /** The broker keeps delayed messages as wills of its own sessions. */
    @Test
    void sessionsOfTheBrokerItselfAreNotTold() {
        store.detach(store.attach("\0delayed/1", false, 60, will("later", 0)), -1, true);
        store.host.advanceMillis(60_000);
        assertThat(wills()).containsExactly("later");
        assertThat(store.otherEvents).isEmpty();
    }

    /**
     * Until their wills are published, however often the process ends, and even if the first walk still finds deleted
     * ones.
     */
    @Test
    void recordsOfAKindAreCounted() {
        for (int i = 0; i < 3; i++) {
            store.detach(store.attach("counted" + i, false, 60L * (i + 1), will("w" + i, 60)), -1, true);
            store.detach(store.attach("other" + i));
        }
        assertThat(store.records.total()).isEqualTo(3);
        store.host.holdReads();
        store.host.changeLeaders();
        assertThat(store.records.total()).isZero();
        store.host.releaseReads();
        store.host.runUntilIdle();
        assertThat(store.records.total()).isEqualTo(3);

        store.host.crashAndRestart();
        store.publishAnswer = false;
        store.host.advanceMillis(61_000);
        assertThat(store.records.total()).isEqualTo(3);
        store.publishAnswer = true;
        store.host.advanceMillis(31_000);
        assertThat(store.records.total())
                .as("one session has ended, and the others remain")
                .isEqualTo(2);
        store.host.advanceMillis(200_000);
        assertThat(store.records.total()).isZero();

        store.attach("counted0", true, 10, null);
        store.attach("counted0");
        assertThat(store.records.total()).isOne();
    }

    @Test
    void expiryGoesOnAfterACrash() {
        TestConnection connection = store.attach("a", false, 60, null);
        store.detach(connection);
        store.host.advanceMillis(30_000);
        store.host.crashAndRestart();
        store.host.advanceMillis(29_999);
        assertThat(store.stored("a")).isPositive();
        store.host.advanceMillis(1);
        assertThat(store.stored("a")).isZero();
    }

    @Test
    void aSessionAttachedAtTheCrashCountsFromTheRestart() {
        store.attach("a", false, 60, null);
        store.host.advanceMillis(100_000);
        store.host.crashAndRestart();
        store.host.advanceMillis(59_999);
        assertThat(store.stored("a")).isPositive();
        store.host.advanceMillis(1);
        assertThat(store.stored("a")).isZero();
    }

    @Test
    void manySessionsLongDetachedEndInTimeThoughTheyAreNotHeldInMemory() {
        for (int i = 0; i < 600; i++) {
            store.detach(store.attach("c" + i, false, 5 * 3600 + i, null));
        }
        store.host.crashAndRestart();
        store.host.advanceMillis(5 * 3600_000L - 1);
        assertThat(store.stored("c0")).isPositive();
        store.host.advanceMillis(300_000);
        assertThat(store.stored("c0")).isZero();
        assertThat(store.stored("c299")).isZero();
        assertThat(store.stored("c301")).isPositive();
        store.host.advanceMillis(300_000);
        assertThat(store.stored("c599")).isZero();
    }

    @Test
    void detachMayChangeTheExpiry() {
        TestConnection connection = store.attach("a", false, 60, null);
        store.detach(connection, 10, false);
        store.host.advanceMillis(10_000);
        assertThat(store.stored("a")).isZero();
    }

    /** For example after a change of leader: a timer set by one clock fires too early by the other. */
    @ParameterizedTest
    @ValueSource(longs = {-50, -7_200_000})
    void aClockThatIsSetBackDelaysAWillAndStopsNone(long step) {
        store.detach(store.attach("a", false, 86_400, will("bye", 5)), -1, true);
        store.host.advanceMillis(1_000);
        store.host.stepWallClock(step);
        store.host.advanceMillis(4_000);
        assertThat(wills()).isEmpty();
        store.host.advanceMillis(-step);
        assertThat(wills()).containsExactly("bye");
        store.detach(store.attach("b", false, 86_400, will("also", 5)), -1, true);
        store.host.advanceMillis(5_000);
        assertThat(wills()).containsExactly("bye", "also");
    }

    @Test
    void aSessionOfExpiryZeroIsGoneWhenItIsDetached() {
        TestConnection connection = store.attach("a", false, 0, will("bye", 100));
        assertThat(store.stored("a", InboxKeys.SESSION)).isOne();
        store.detach(connection, -1, true);
        assertThat(wills()).containsExactly("bye");
        assertThat(store.stored("a")).isZero();
    }

    @Test
    void routesAreRemovedUntilThatSucceedsAcrossCrashesWhileANewSessionBegins() {
        long incarnation = store.absent("a");
        store.removeAnswer = false;
        assertThat(store.host.await(store.client.delete(TenantId.DEFAULT, new ClientId("a"))))
                .isTrue();
        assertThat(store.removed).hasSize(1);
        store.host.advanceMillis(2000);
        int tries = store.removed.size();
        assertThat(tries).isGreaterThan(1);

        TestConnection next = store.attach("a");
        assertThat(next.reply.sessionPresent()).isFalse();
        assertThat(next.reply.incarnation()).isGreaterThan(incarnation);
        store.host.crashAndRestart();
        store.host.runUntilIdle();
        assertThat(store.removed).hasSizeGreaterThan(tries);
        assertThat(store.removed).allMatch(removed -> removed.incarnation() == incarnation);
        store.removeAnswer = true;
        store.host.advanceMillis(5_000);
        int all = store.removed.size();
        store.host.crashAndRestart();
        store.host.advanceMillis(60_000);
        assertThat(store.removed).hasSize(all);
        assertThat(store.attach("a").reply.incarnation()).isEqualTo(next.reply.incarnation());
    }

    /** As when the leader of all their routes is lost. */
    @Test
    void sessionsThatEndTogetherDoNotAskAgainTogether() {
        int sessions = 200;
        for (int i = 0; i < sessions; i++) {
            TestConnection connection = store.attach("c" + i, false, 10, will("bye", 3600));
            store.host.await(connection.attachment().subscribe(List.of(InboxFixture.subscription("t/#"))));
            store.detach(connection, -1, true);
        }
        store.random = new Random(5)::nextDouble;
        store.removeAnswer = false;
        store.publishAnswer = false;
        store.host.advanceMillis(20_000);
        int before = store.removed.size();
        assertThat(before).isGreaterThan(sessions);
        int mostRoutes = 0;
        int mostWills = 0;
        for (int millis = 0; millis < 10_000; millis += 100) {
            int routes = store.removed.size();
            int wills = store.published.size();
            store.host.advanceMillis(100);
            mostRoutes = Math.max(mostRoutes, store.removed.size() - routes);
            mostWills = Math.max(mostWills, store.published.size() - wills);
        }
        assertThat(store.removed)
                .as("each session repeats its removal")
                .hasSizeGreaterThanOrEqualTo(before + 2 * sessions);
        assertThat(mostRoutes).isBetween(1, sessions / 5);
        assertThat(mostWills).isBetween(1, sessions / 5);
    }

    @Test
    void deleteEndsAnAttachedSession() {
        TestConnection connection = store.attach("a", false, 60, will("bye", 0));
        assertThat(store.host.await(store.client.delete(TenantId.DEFAULT, new ClientId("a"))))
                .isTrue();
        assertThat(connection.ends).containsExactly(InboxListener.Reason.DELETED);
        assertThat(wills()).containsExactly("bye");
        assertThat(store.stored("a")).isZero();
        assertThat(store.host.await(store.client.delete(TenantId.DEFAULT, new ClientId("a"))))
                .isFalse();
    }

    @Test
    void cleanStartThrowsTheQueueAway() {
        long incarnation = store.absent("a");
        store.insert("a", incarnation, store.message("m", 2));
        TestConnection clean = store.attach("a", true, AttachRequest.NEVER, null);
        clean.attachment().request(10);
        store.host.runUntilIdle();
        assertThat(clean.delivered).isEmpty();
        assertThat(clean.reply.subscriptions()).isEmpty();
        assertThat(store.stored("a", InboxKeys.RUN)).isZero();
        store.insert("a", clean.reply.incarnation(), store.message("n", 1));
        assertThat(clean.payloads()).containsExactly("n");
        store.host.crashAndRestart();
        TestConnection back = store.attach("a");
        back.attachment().request(10);
        store.host.runUntilIdle();
        assertThat(back.payloads()).containsExactly("n");
    }

    @Test
    void anAttachThatIsOvertakenBeforeItIsCommittedIsTakenOver() {
        TestConnection first = new TestConnection();
        TestConnection second = new TestConnection();
        CompletableFuture<AttachReply> one = store.attachLater("a", false, 60, null, first);
        CompletableFuture<AttachReply> two = store.attachLater("a", false, 60, null, second);
        second.reply = store.host.await(two);
        first.reply = store.host.await(one);
        assertThat(first.ends).containsExactly(InboxListener.Reason.TAKEN_OVER);
        assertThat(second.reply.sessionPresent()).isTrue();
        CompletableFuture<Void> received = first.attachment().received(1);
        store.host.runUntilIdle();
        assertThat(received).isCompletedExceptionally();
    }

    @Test
    void aClockSetBackDoesNotBringAnIncarnationBack() {
        long first = store.attach("a", true, 60, null).reply.incarnation();
        long second = store.attach("a", true, 60, null).reply.incarnation();
        store.host.crashAndRestart();
        long third = store.attach("a", true, 60, null).reply.incarnation();
        assertThat(List.of(first, second, third)).doesNotHaveDuplicates().isSorted();
    }

    // --- wills

    @Test
    void aWillIsPublishedAtOnceWithoutADelay() {
        store.detach(store.attach("a", false, 60, will("bye", 0)), -1, true);
        assertThat(wills()).containsExactly("bye");
        assertThat(store.otherEvents).containsExactly(willPublished());
        store.host.crashAndRestart();
        store.host.advanceMillis(100_000);
        assertThat(wills()).containsExactly("bye");
    }

    @Test
    @Clause("MQTT5-3.1.2-10")
    void aNormalDisconnectDiscardsTheWill() {
        store.detach(store.attach("a", false, 60, will("bye", 0)), -1, false);
        store.host.advanceMillis(100_000);
        assertThat(wills()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Clause("MQTT5-3.1.2-8")
    void aDelayedWillIsPublishedWhenItsTimeHasCome(boolean crash) {
        store.detach(store.attach("a", false, 60, will("bye", 20)), -1, true);
        store.host.advanceMillis(19_999);
        assertThat(wills()).isEmpty();
        if (crash) {
            store.host.crashAndRestart();
        }
        store.host.advanceMillis(1);
        assertThat(wills()).containsExactly("bye");
        assertThat(store.otherEvents).containsExactly(willDelayed(20), willPublished());
        assertThat(store.meters.get("godwit.inbox.wills.delayed").counter().count())
                .isOne();
    }

    @Test
    @Clause("MQTT5-3.1.2-8")
    void aDelayedWillIsPublishedNoLaterThanTheSessionEnds() {
        store.detach(store.attach("a", false, 10, will("bye", 20)), -1, true);
        store.host.advanceMillis(10_000);
        assertThat(wills()).containsExactly("bye");
        assertThat(store.stored("a")).isZero();
        assertThat(store.otherEvents).containsExactly(willDelayed(10), ended(SessionEndCause.EXPIRED), willPublished());
    }

    @Test
    void aDelayedWillIsPublishedWhenItsSessionIsDeleted() {
        store.detach(store.attach("a", false, 60, will("bye", 20)), -1, true);
        store.host.await(store.client.delete(TenantId.DEFAULT, new ClientId("a")));
        assertThat(wills()).containsExactly("bye");
        assertThat(store.otherEvents).containsExactly(willDelayed(20), ended(SessionEndCause.DELETED), willPublished());
    }

    @Test
    @Clause("MQTT5-3.1.3-9")
    void aSessionResumedBeforeTheDelayKeepsItsWillBack() {
        store.detach(store.attach("a", false, 60, will("bye", 20)), -1, true);
        store.host.advanceMillis(10_000);
        store.attach("a", false, 60, null);
        store.host.advanceMillis(100_000);
        assertThat(wills()).isEmpty();
        assertThat(store.otherEvents).containsExactly(willDelayed(20), willSuppressed());
    }

    @Test
    void aCleanStartEndsTheSessionAndSendsItsWill() {
        store.detach(store.attach("a", false, 60, will("bye", 20)), -1, true);
        store.attach("a", true, 60, null);
        assertThat(wills()).containsExactly("bye");
    }

    @Test
    void takeoverSendsTheWillUnlessTheSessionGoesOnAndTheDelayIsNotOver() {
        store.attach("a", false, 60, will("no delay", 0));
        store.attach("a", false, 60, will("delayed", 10));
        assertThat(wills()).containsExactly("no delay");
        store.attach("a", false, 60, will("delayed again", 10));
        store.attach("a", true, 0, will("session ends", 10));
        assertThat(wills()).containsExactly("no delay", "delayed again");
        store.attach("a", false, 60, null);
        assertThat(wills()).containsExactly("no delay", "delayed again", "session ends");
    }

    @Test
    @Clause("MQTT5-3.1.2-7")
    void theWillOfAConnectionThatDiedWithItsBrokerIsPublished() {
        store.attach("a", false, 60, will("at once", 0));
        store.attach("b", false, 60, will("later", 30));
        store.attach("c", false, 0, will("session gone", 30));
        store.host.crashAndRestart();
        store.host.runUntilIdle();
        assertThat(wills()).containsExactlyInAnyOrder("at once", "session gone");
        store.host.advanceMillis(30_000);
        assertThat(wills()).containsExactlyInAnyOrder("at once", "session gone", "later");
        assertThat(store.stored("c")).isZero();
    }

    @Test
    void aWillIsTriedAgainUnderItsTokenUntilItIsDone() {
        store.publishAnswer = null; // no answer before the crash
        TestConnection connection = store.attach("a", false, 60, will("bye", 0));
        store.host.advanceMillis(5_000);
        long owedSinceMillis = store.host.nowMillis();
        store.detach(connection, -1, true);
        store.host.crashAndRestart();
        store.publishAnswer = false;
        store.host.runUntilIdle();
        store.host.advanceMillis(600);
        store.publishAnswer = true;
        store.host.advanceMillis(60_000);
        assertThat(store.published.size()).isGreaterThanOrEqualTo(3);
        assertThat(store.published.stream().map(InboxFixture.Published::number).distinct())
                .hasSize(1);
        assertThat(store.published.stream().map(InboxFixture.Published::origin).distinct())
                .hasSize(1);
        InboxFixture.Published last = store.published.get(store.published.size() - 1);
        assertThat(store.published)
                .as("the time of the will stays, so that a newer retained message is recognized")
                .allMatch(published -> published.decidedAtMillis() == owedSinceMillis);
        assertThat(store.finished).containsExactly(new InboxFixture.Finished("will", last.origin(), last.number()));
        int tries = store.published.size();
        store.host.crashAndRestart();
        store.host.advanceMillis(60_000);
        assertThat(store.published).hasSize(tries);
    }

    @Test
    void aDetachThatCannotBeWrittenIsMadeGoodWhenTheDiskHasRoomAgain() {
        TestConnection connection = store.attach("a", false, 10, will("bye", 0));
        store.host.failWrites(RangeException.Cause.DISK_FULL);
        CompletableFuture<Void> detach = connection.attachment().detach(-1, true);
        store.host.runUntilIdle();
        assertThat(detach).isCompletedExceptionally();
        store.host.advanceMillis(3_000);
        assertThat(wills()).isEmpty();
        store.host.acceptWrites();
        store.host.advanceMillis(3_000);
        assertThat(wills()).containsExactly("bye");
        store.host.advanceMillis(10_000);
        assertThat(store.stored("a")).isZero();
    }

    private Will will(String payload, long delaySeconds) {
        return new Will(store.message("will", payload, 1, -1), delaySeconds);
    }

    private List<String> wills() {
        return store.published.stream()
                .map(published -> new String(published.message().payload(), StandardCharsets.UTF_8))
                .toList();
    }
}
