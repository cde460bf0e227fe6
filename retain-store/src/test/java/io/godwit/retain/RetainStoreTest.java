package io.godwit.retain;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.conformance.Clause;
import io.godwit.kv.client.Deadline;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.coprocessor.RangeCoprocessor;
import io.godwit.kv.coprocessor.RangeCursor;
import io.godwit.kv.testing.InMemoryRangeHost;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.EventListener;
import io.godwit.plugin.event.NodeWait;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.message.UserProperty;
import io.godwit.plugin.topic.TopicFilter;
import io.godwit.retain.client.RetainClient;
import io.godwit.retain.topic.RetainKeys;
import io.godwit.testing.Await;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RetainStoreTest {
    private static final TenantId TENANT = TenantId.DEFAULT;
    private static final long NO_EXPIRY = -1;

    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final RetainStore store =
            new RetainStore(RetainConfig.DEFAULT, this::host, this::nowMillis, EventListener.NONE, meters);
    private final InMemoryRangeHost host = new InMemoryRangeHost(
            store.coprocessorFactory(), List.of(RetainKeys.key(TENANT, "g"), RetainKeys.key(TENANT, "p")));
    private final RetainClient client = store.client();

    RetainStoreTest() {
        store.start();
    }

    @AfterEach
    void close() {
        store.close();
        host.close();
    }

    @Test
    void setReplaceAndClear() {
        set("a/b", "1");
        assertThat(match("a/b")).containsExactly("a/b=1");
        set("a/b", "2");
        assertThat(match("a/+")).containsExactly("a/b=2");
        assertThat(retained()).isEqualTo(1);
        set("a/b", "");
        set("a/b", "");
        assertThat(match("#")).isEmpty();
        assertThat(retained()).isZero();
    }

    @Test
    void aMessageComesBackAsItWas() {
        MessageProperties properties = new MessageProperties(
                1, NO_EXPIRY, "text/plain", "reply", new byte[] {1, 2}, List.of(new UserProperty("k", "v")));
        Message message = new Message("t", new byte[] {7}, Qos.EXACTLY_ONCE, true, 42, properties);
        host.await(client.set(TENANT, message));

        Message back = host.await(client.match(TENANT, filter("t"), null, 10, 1000))
                .messages()
                .get(0);

        assertThat(back.payload()).containsExactly(7);
        assertThat(back.qos()).isEqualTo(Qos.EXACTLY_ONCE);
        assertThat(back.retain()).isTrue();
        assertThat(back.receivedAtMillis()).isEqualTo(42);
        assertThat(back.properties()).usingRecursiveComparison().isEqualTo(properties);
    }

    @Test
    void aSetIsVisibleOnceCommittedAndTheLastOfOneTopicStays() {
        host.holdCommits();
        List<CompletableFuture<Void>> sets = new ArrayList<>();
        for (int i = 0; i < 600; i++) {
            sets.add(client.set(TENANT, message("a", "" + i, NO_EXPIRY)));
        }
        host.runUntilIdle();
        assertThat(sets).noneMatch(CompletableFuture::isDone);
        assertThat(match("a")).isEmpty();

        host.releaseCommits();
        sets.forEach(host::await);
        assertThat(match("a")).containsExactly("a=599");
    }

    private RetainClient.Page search(String filter, @Nullable String cursor, Deadline deadline) {
        return host.await(client.search(TENANT, filter(filter), cursor, 10, 1_000, deadline));
    }

    @Test
    void aSearchThatFindsNothingInTimeGoesOnWhereItEnded() {
        set("z/x", "1");
        Deadline over = Deadline.afterMillis(0); // each page covers only one range then
        List<String> found = new ArrayList<>();
        int empty = 0;
        String cursor = null;
        do {
            RetainClient.Page page = search("+/x", cursor, over);
            empty += page.messages().isEmpty() ? 1 : 0;
            page.messages().forEach(message -> found.add(message.topic()));
            cursor = page.cursor();
        } while (cursor != null);
        assertThat(found).containsExactly("z/x");
        assertThat(empty).isPositive();
        assertThat(search("+/x", null, Deadline.afterMillis(60_000)).messages()).hasSize(1);
    }

    @Test
    void aCursorOfAnotherSearchIsRefused() {
        set("a/1", "1");
        set("b/1", "1");
        Deadline soon = Deadline.afterMillis(60_000);
        String behind = client.cursorBehind(TENANT, "a/1");
        assertThat(search("#", behind, soon).messages()).hasSize(1);
        assertThat(search("a/+", behind, soon).messages()).isEmpty();
        for (CompletableFuture<?> refused : List.of(
                client.search(TENANT, filter("b/+"), behind, 10, 1_000, soon),
                client.search(new TenantId("other"), filter("#"), behind, 10, 1_000, soon),
                client.search(TENANT, filter("#"), "%%", 10, 1_000, soon))) {
            assertThat(refused)
                    .failsWithin(Duration.ZERO)
                    .withThrowableThat()
                    .withCauseInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void tenantsDoNotSeeEachOther() {
        set("a", "1");
        TenantId other = new TenantId("default-2");
        host.await(client.set(other, message("a", "2", NO_EXPIRY)));

        assertThat(match("#")).containsExactly("a=1");
        assertThat(host.await(client.match(other, filter("#"), null, 10, 1000)).messages())
                .hasSize(1);
    }

    @Test
    void wildcardsAreMatchedOverAllRangesInPages() {
        List<String> expected = new ArrayList<>();
        for (char c = 'a'; c <= 'z'; c++) {
            for (int i = 0; i < 10; i++) {
                set(c + "/" + i + "/x", "1");
                expected.add(c + "/" + i + "/x=1");
            }
            set(c + "/y", "1");
        }
        assertThat(match("+/+/x", 7, 1_000_000)).isEqualTo(expected);
        assertThat(match("+/+/x", 1000, 1_000_000)).isEqualTo(expected);
        assertThat(match("h/#", 3, 1_000_000)).hasSize(11);
        assertThat(match("nothing/#", 3, 1_000_000)).isEmpty();
    }

    @Test
    void aPageEndsAtItsBytesAndHasAtLeastOneMessage() {
        String large = "x".repeat(1000);
        for (String topic : List.of("a", "b", "c", "d")) {
            set(topic, large);
        }
        RetainClient.Page two = host.await(client.match(TENANT, filter("+"), null, 10, 2500));
        assertThat(two.messages()).hasSize(2);
        RetainClient.Page one = host.await(client.match(TENANT, filter("+"), two.cursor(), 10, 1));
        assertThat(one.messages()).extracting(Message::topic).containsExactly("c");
        RetainClient.Page last = host.await(client.match(TENANT, filter("+"), one.cursor(), 10, 1));
        assertThat(last.messages()).extracting(Message::topic).containsExactly("d");
    }

    @Test
    void aCursorSurvivesChangesBetweenPages() {
        for (String topic : List.of("a", "c", "e", "h", "j")) {
            set(topic, "1");
        }
        RetainClient.Page first = host.await(client.match(TENANT, filter("+"), null, 2, 1000));
        assertThat(first.messages()).extracting(Message::topic).containsExactly("a", "c");
        set("c", "");
        set("b", "1");
        set("d", "1");
        set("e", "");

        host.crashAndRestart();
        List<String> rest = new ArrayList<>();
        @Nullable String cursor = first.cursor();
        while (cursor != null) {
            RetainClient.Page page = host.await(client.match(TENANT, filter("+"), cursor, 2, 1000));
            page.messages().forEach(message -> rest.add(message.topic()));
            cursor = page.cursor();
        }
        assertThat(rest).containsExactly("d", "h", "j");
    }

    @Test
    void onALowDiskOnlyWhatIsOnRecordElsewhereIsAdded() {
        set("kept", "1");
        host.refuseAdditions();
        CompletableFuture<Void> refused = client.set(TENANT, message("refused", "1", NO_EXPIRY));
        host.runUntilIdle();
        assertThat(refused).isCompletedExceptionally();
        host.await(client.setRecorded(TENANT, message("recorded", "1", NO_EXPIRY), "o", 1, RetainClient.NEWEST));
        set("kept", "");
        assertThat(match("#")).containsExactly("recorded=1");
    }

    /** A recorded message comes again after a failure; a message acknowledged meanwhile is newer. */
    @Test
    void aRepeatOfWhatIsOnRecordDoesNotReplaceANewerMessage() {
        setRecorded("a", "offline", 7, RetainClient.NEWEST);
        set("a", "online");
        setRecorded("a", "offline", 7, RetainClient.NEWEST);
        assertThat(match("#")).containsExactly("a=online");
        set("a", "");
        setRecorded("a", "offline", 7, RetainClient.NEWEST);
        assertThat(match("#")).isEmpty();
        setRecorded("a", "", 8, RetainClient.NEWEST);
        set("a", "online");
        setRecorded("a", "", 8, RetainClient.NEWEST);

        host.crashAndRestart();
        setRecorded("a", "offline", 7, RetainClient.NEWEST);
        setRecorded("a", "", 8, RetainClient.NEWEST);
        assertThat(match("#")).containsExactly("a=online");
        assertThat(retained()).isEqualTo(1);
        setRecorded("a", "offline again", 9, RetainClient.NEWEST);
        assertThat(match("#")).containsExactly("a=offline again");
    }

    @Test
    void aRangeThatDoesNotAnswerInTimeIsCountedAndTold() {
        List<BrokerEvent> events = new ArrayList<>();
        MeterRegistry own = new SimpleMeterRegistry();
        Duration limit = Duration.ofMillis(1);
        RetainStore impatient = new RetainStore(new RetainConfig(limit), this::host, this::nowMillis, events::add, own);
        impatient.start();
        host.holdCommits();
        CompletableFuture<Void> late = impatient.client().set(TENANT, message("a", "x", NO_EXPIRY));
        long began = System.nanoTime();
        Await.until("the deadline", () -> System.nanoTime() - began > limit.toNanos());
        host.runUntilIdle();
        host.advanceMillis(1_000);

        assertThat(reason(late)).isEqualTo(RangeException.Cause.TIMEOUT);
        assertThat(own.get("godwit.waits.over")
                        .tag("wait", "retained")
                        .counter()
                        .count())
                .isOne();
        assertThat(events).singleElement().isInstanceOfSatisfying(BrokerEvent.WaitRanOut.class, over -> {
            assertThat(over.what()).isEqualTo(NodeWait.RETAINED);
            assertThat(over.limit()).isEqualTo(limit);
            assertThat(over.detail()).startsWith("a: ").contains("TIMEOUT");
        });
    }

    @Test
    void whatIsSetOrClearedIsReportedAndWhatIsSupersededIsNot() {
        List<BrokerEvent> events = new ArrayList<>();
        SimpleMeterRegistry own = new SimpleMeterRegistry();
        RetainStore watched =
                new RetainStore(RetainConfig.DEFAULT, this::host, this::nowMillis, events::add, own);
        watched.start();
        long before = host.nowMillis() - 1;
        host.await(watched.client().set(TENANT, message("a", "four", NO_EXPIRY)));
        host.await(watched.client().set(TENANT, message("a", "", NO_EXPIRY)));
        host.await(watched.client().setRecorded(TENANT, message("b", "x", NO_EXPIRY), "o", 1, RetainClient.NEWEST));
        host.await(watched.client().setRecorded(TENANT, message("b", "x", NO_EXPIRY), "o", 1, RetainClient.NEWEST));
        host.await(watched.client().setRecorded(TENANT, message("b", "old", NO_EXPIRY), "o", 2, before));

        assertThat(match("b")).containsExactly("b=x");
        assertThat(events)
                .containsExactly(
                        new BrokerEvent.RetainedMessageSet(TENANT, "a", 4),
                        new BrokerEvent.RetainedMessageCleared(TENANT, "a"),
                        new BrokerEvent.RetainedMessageSet(TENANT, "b", 1));
        assertThat(own.get("godwit.retain.set").functionCounter().count()).isEqualTo(2);
        assertThat(own.get("godwit.retain.cleared").functionCounter().count()).isEqualTo(1);
        watched.close();
    }

    /** After a time-out it is unknown whether the attempt was applied. */
    @Test
    void anAttemptThatIsAppliedAfterItsTimeOutIsTheOneThatCounts() {
        host.holdCommits();
        CompletableFuture<Void> late = client.setRecorded(TENANT, message("a", "offline", NO_EXPIRY), "o", 7, 0);
        host.runUntilIdle();
        host.advanceMillis(RetainConfig.DEFAULT.timeout().toMillis() + 1);
        assertThat(reason(late)).isEqualTo(RangeException.Cause.TIMEOUT);
        host.releaseCommits();
        set("a", "online");
        setRecorded("a", "offline", 7, RetainClient.NEWEST);
        assertThat(match("#")).containsExactly("a=online");
    }

    /** The first attempt did not reach the store, and the client has come back in the meantime. */
    @Test
    void whatIsLateYieldsToWhatWasReceivedAfterItWasDecided() {
        long decidedAtMillis = host.nowMillis();
        host.advanceMillis(1);
        set("a", "online");
        host.advanceMillis(30_000);
        setRecorded("a", "offline", 7, decidedAtMillis);
        assertThat(match("#")).containsExactly("a=online");
        assertThat(superseded()).isEqualTo(1);

        setRecorded("a", "offline", 7, decidedAtMillis); // a token is decided only once
        assertThat(match("#")).containsExactly("a=online");
        assertThat(superseded()).isEqualTo(1);
        setRecorded("a", "offline again", 8, host.nowMillis());
        assertThat(match("#")).containsExactly("a=offline again");
    }

    /** The clock was ahead when the stored message was received, and has been set back since. */
    @Test
    void whatWasReceivedInTheFutureIsNotNewer() {
        Message ahead = new Message(
                "a",
                "online".getBytes(UTF_8),
                Qos.AT_LEAST_ONCE,
                true,
                host.nowMillis() + 7_200_000,
                MessageProperties.NONE);
        host.await(client.set(TENANT, ahead));
        setRecorded("a", "offline", 7, host.nowMillis());
        assertThat(match("#")).containsExactly("a=offline");
        assertThat(superseded()).isZero();
    }

    @Test
    void whatIsRememberedIsForgottenWhenItIsFinished() {
        for (int i = 0; i < 50; i++) {
            setRecorded("a/" + i % 5, "1", i, RetainClient.NEWEST);
        }
        assertThat(remembered()).isEqualTo(50);
        assertThat(keys("a")).as("number of messages and marks").isEqualTo(55);
        host.crashAndRestart();
        assertThat(remembered()).isEqualTo(50);
        for (int i = 0; i < 50; i++) {
            client.finished(TENANT, "a/" + i % 5, "o", i);
            client.finished(TENANT, "a/" + i % 5, "o", i);
        }
        host.runUntilIdle();
        assertThat(remembered()).isZero();
        assertThat(keys("a")).isEqualTo(5);
        assertThat(match("#")).hasSize(5);
        assertThat(retained()).isEqualTo(5);
    }

    @Test
    void whatNobodyFinishesIsForgottenByAgeUnlessItIsStillRepeated() {
        setRecorded("a", "1", 1, RetainClient.NEWEST);
        setRecorded("b", "1", 2, RetainClient.NEWEST);
        for (int day = 0; day < 8; day++) {
            host.advanceMillis(24 * 3_600_000L);
            setRecorded("b", "1", 2, RetainClient.NEWEST);
        }
        assertThat(remembered()).isEqualTo(1);
        assertThat(keys("a")).as("two messages and one mark").isEqualTo(3);
        set("b", "2");
        setRecorded("b", "1", 2, RetainClient.NEWEST);
        assertThat(match("#")).containsExactly("a=1", "b=2");
        host.advanceMillis(8 * 24 * 3_600_000L);
        assertThat(remembered()).isZero();
        assertThat(meters.get("godwit.retain.tokens.given.up").functionCounter().count())
                .isEqualTo(2);
        assertThat(match("#")).containsExactly("a=1", "b=2");
    }

    /** Sessions that repeatedly end between two commits must not fill memory or disk. */
    @Test
    void aRangeRemembersABoundedNumber() {
        int most = 100_000;
        for (int i = 0; i < most + 700; i++) {
            client.setRecorded(TENANT, message("a", "1", NO_EXPIRY), "o", i, RetainClient.NEWEST);
            if (i % 1_000 == 0) {
                host.advanceMillis(1);
            }
        }
        host.runUntilIdle();
        host.advanceMillis(3_000);
        assertThat(remembered()).isEqualTo(most);
        set("a", "2");
        setRecorded("a", "1", most + 699, RetainClient.NEWEST);
        assertThat(match("#")).containsExactly("a=2");
        assertThat(meters.get("godwit.retain.tokens.given.up").functionCounter().count())
                .isEqualTo(700);
    }

    /** A mark stays in one range with its topic, and no topic is taken for a mark. */
    @Test
    void aRangeIsNeverCutBetweenATopicAndItsMarks() {
        RangeCoprocessor coprocessor = store.coprocessorFactory().get();
        String fortyBytes = "x".repeat(40);
        for (String topic : List.of("a", "a/b", fortyBytes, "a" + fortyBytes, "/" + fortyBytes)) {
            byte[] key = RetainKeys.key(TENANT, topic);
            assertThat(coprocessor.splitPoint(key)).isEqualTo(key);
            setRecorded(topic, "1", 1, RetainClient.NEWEST);
            List<byte[]> keys = host.inspect(key, reader -> {
                List<byte[]> found = new ArrayList<>();
                try (RangeCursor cursor = reader.cursor(key, RetainKeys.key(TENANT, topic + "/"))) {
                    for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
                        found.add(cursor.key());
                    }
                }
                return found;
            });
            assertThat(keys)
                    .hasSize(2)
                    .allSatisfy(each -> assertThat(coprocessor.splitPoint(each)).isEqualTo(key));
        }
        assertThat(match("#")).hasSize(5);
        coprocessor.close();
    }

    /** A session that got part of a page continues after that part, in whatever range. */
    @Test
    void aMatchGoesOnBehindAnyOfItsMessages() {
        List<String> topics = List.of("a", "a/\u0001", "a/b", "a/b/c", "a\u0002", "c", "h", "h/i", "x");
        topics.forEach(topic -> set(topic, "1"));
        List<String> inOrder = new ArrayList<>();
        for (String message : match("#")) {
            inOrder.add(message.substring(0, message.indexOf('=')));
        }
        assertThat(inOrder).containsExactlyInAnyOrderElementsOf(topics);
        for (int i = 0; i < inOrder.size(); i++) {
            List<String> rest = new ArrayList<>();
            @Nullable String cursor = client.cursorBehind(TENANT, inOrder.get(i));
            while (cursor != null) {
                RetainClient.Page page = host.await(client.match(TENANT, filter("#"), cursor, 100, 1000));
                page.messages().forEach(message -> rest.add(message.topic()));
                cursor = page.cursor();
            }
            assertThat(rest).isEqualTo(inOrder.subList(i + 1, inOrder.size()));
        }
    }

    @Test
    void aFilterThatMatchesLittleIsAnsweredOverManySteps() {
        for (int i = 0; i < 12_000; i++) {
            client.set(TENANT, message("a/" + i, "1", NO_EXPIRY));
        }
        set("a/last/x", "1");
        assertThat(match("+/+/x")).containsExactly("a/last/x=1");
    }

    @Test
    @Clause("MQTT5-3.3.2-5")
    void expiredMessagesAreNotReturnedAndThenRemoved() {
        host.await(client.set(TENANT, message("a", "1", 10)));
        host.await(client.set(TENANT, message("b", "1", 20)));
        set("c", "1");
        for (int i = 0; i < 600; i++) {
            client.set(TENANT, message("z/" + i, "1", 10));
        }
        host.advanceMillis(9_999);
        assertThat(match("+")).containsExactly("a=1", "b=1", "c=1");
        assertThat(retained()).isEqualTo(603);

        host.advanceMillis(1);
        assertThat(match("#")).containsExactly("b=1", "c=1");
        host.advanceMillis(2_000);
        assertThat(retained()).isEqualTo(2);
        assertThat(host.<byte @Nullable []>inspect(
                        RetainKeys.key(TENANT, "a"), reader -> reader.get(RetainKeys.key(TENANT, "a"))))
                .isNull();
        assertThat(meters.get("godwit.retain.expired").functionCounter().count())
                .isEqualTo(601);
        host.advanceMillis(10_000);
        assertThat(match("#")).containsExactly("c=1");
    }

    @Test
    void aRemovalUnderwayDoesNotTouchANewerMessage() {
        host.await(client.set(TENANT, message("a", "old", 1)));
        host.holdCommits();
        host.advanceMillis(3_000); // the removal is proposed
        assertThat(host.entriesInFlight()).isEqualTo(1);
        host.crashAndRestart();
        host.holdSeals();
        CompletableFuture<Void> newer = client.set(TENANT, message("a", "new", NO_EXPIRY));
        host.advanceMillis(1_500); // queued behind the newer one
        host.releaseSeals();
        host.await(newer);
        host.advanceMillis(5_000);

        assertThat(match("a")).containsExactly("a=new");
        assertThat(retained()).isEqualTo(1);
    }

    @Test
    void expiryGoesOnAfterARestartAndAChangeOfLeader() {
        host.await(client.set(TENANT, message("a", "1", 10)));
        host.await(client.set(TENANT, message("h", "1", 20)));
        host.crashAndRestart();
        assertThat(match("#")).hasSize(2);
        assertThat(retained()).isEqualTo(2);
        host.advanceMillis(12_000);
        assertThat(retained()).isEqualTo(1);
        host.changeLeaders();
        host.advanceMillis(10_000);
        assertThat(retained()).isZero();
    }

    @Test
    void acknowledgedMessagesSurviveACrashAndRefusedOnesAreNotThere() {
        set("a", "1");
        set("z", "1");
        host.holdCommits();
        CompletableFuture<Void> unknown = client.set(TENANT, message("a", "2", NO_EXPIRY));
        host.runUntilIdle();
        host.crashAndRestart();
        assertThat(reason(unknown)).isEqualTo(RangeException.Cause.TIMEOUT);
        assertThat(match("#")).containsExactly("a=1", "z=1");

        host.failWrites(RangeException.Cause.DISK_FULL);
        CompletableFuture<Void> refused = client.set(TENANT, message("b", "1", NO_EXPIRY));
        host.runUntilIdle();
        assertThat(reason(refused)).isEqualTo(RangeException.Cause.DISK_FULL);
        assertThat(match("#")).containsExactly("a=1", "z=1");
    }

    @Test
    void clearsAndExpiresOnANearlyFullDisk() {
        set("a", "1");
        set("b", "1");
        host.await(client.set(TENANT, message("c", "1", 5)));
        host.refuseAdditions();
        CompletableFuture<Void> refused = client.set(TENANT, message("b", "2", NO_EXPIRY));
        host.runUntilIdle();
        assertThat(reason(refused)).isEqualTo(RangeException.Cause.DISK_FULL);
        set("a", "");
        host.advanceMillis(10_000);
        assertThat(match("#")).containsExactly("b=1");
        assertThat(retained()).isEqualTo(1);
    }

    @Test
    void refusesAfterTheClose() {
        store.close();
        assertThat(reason(client.set(TENANT, message("a", "1", NO_EXPIRY)))).isEqualTo(RangeException.Cause.CLOSED);
        assertThat(reason(client.match(TENANT, filter("#"), null, 1, 1))).isEqualTo(RangeException.Cause.CLOSED);
    }

    private InMemoryRangeHost host() {
        return host;
    }

    private long nowMillis() {
        return host.nowMillis();
    }

    private void set(String topic, String payload) {
        host.await(client.set(TENANT, message(topic, payload, NO_EXPIRY)));
    }

    private void setRecorded(String topic, String payload, long number, long decidedAtMillis) {
        host.await(client.setRecorded(TENANT, message(topic, payload, NO_EXPIRY), "o", number, decidedAtMillis));
    }

    private double superseded() {
        return meters.get("godwit.retain.superseded").functionCounter().count();
    }

    private double remembered() {
        return meters.get("godwit.retain.tokens").gauge().value();
    }

    /** The number of keys in the range of {@code topic}. */
    private int keys(String topic) {
        return host.inspect(RetainKeys.key(TENANT, topic), reader -> {
            int count = 0;
            try (RangeCursor cursor = reader.cursor(new byte[0], null)) {
                for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
                    count++;
                }
            }
            return count;
        });
    }

    private Message message(String topic, String payload, long expirySeconds) {
        MessageProperties properties = expirySeconds == NO_EXPIRY
                ? MessageProperties.NONE
                : new MessageProperties(-1, expirySeconds, null, null, null, List.of());
        return new Message(topic, payload.getBytes(UTF_8), Qos.AT_LEAST_ONCE, true, host.nowMillis(), properties);
    }

    private List<String> match(String filter) {
        return match(filter, 1000, 1_000_000);
    }

    private List<String> match(String filter, int maxMessages, int maxBytes) {
        List<String> found = new ArrayList<>();
        @Nullable String cursor = null;
        do {
            RetainClient.Page page = host.await(client.match(TENANT, filter(filter), cursor, maxMessages, maxBytes));
            assertThat(page.messages()).hasSizeLessThanOrEqualTo(maxMessages);
            assertThat(page.cursor() != null && page.messages().isEmpty())
                    .as("a page without messages although more follow")
                    .isFalse();
            page.messages().forEach(message -> found.add(message.topic() + "=" + new String(message.payload(), UTF_8)));
            cursor = page.cursor();
        } while (cursor != null);
        return found;
    }

    private double retained() {
        return meters.get("godwit.retain.messages").gauge().value();
    }

    private static RangeException.Cause reason(CompletableFuture<?> failed) {
        assertThat(failed).isCompletedExceptionally();
        return failed.handle((value, failure) -> ((RangeException) failure).reason())
                .join();
    }

    private static TopicFilter filter(String text) {
        return TopicFilter.parse(text).orElseThrow();
    }
}
