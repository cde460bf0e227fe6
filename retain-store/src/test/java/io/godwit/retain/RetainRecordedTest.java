package io.godwit.retain;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.kv.client.RangeException;
import io.godwit.kv.coprocessor.RangeCoprocessor;
import io.godwit.kv.coprocessor.RangeCursor;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.godwit.retain.client.RetainClient;
import io.godwit.retain.topic.RetainKeys;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Messages that are on record elsewhere and may come late or again: what they replace, and what is remembered. */
class RetainRecordedTest extends RetainStoreFixture {
    @Test
    void whatIsSetOrClearedIsReportedAndWhatIsSupersededIsNot() {
        List<BrokerEvent> events = new ArrayList<>();
        SimpleMeterRegistry own = new SimpleMeterRegistry();
        RetainStore watched = new RetainStore(RetainConfig.DEFAULT, this::host, this::nowMillis, events::add, own);
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
}
