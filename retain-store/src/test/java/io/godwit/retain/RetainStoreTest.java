package io.godwit.retain;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.conformance.Clause;
import io.godwit.kv.client.RangeException;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.NodeWait;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.message.UserProperty;
import io.godwit.retain.topic.RetainKeys;
import io.godwit.testing.Await;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Retained messages are set, replaced, cleared and expire, also over crashes, late answers and full disks. */
class RetainStoreTest extends RetainStoreFixture {
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
    void eachExpiredMessageIsReportedOnceWhenItIsRemoved() {
        String odd = "x\u0001y/\u0002//z";
        host.await(client.set(TENANT, message("a/b", "1", 10)));
        host.await(client.set(new TenantId("birds"), message(odd, "1", 10)));
        host.await(client.set(TENANT, message("c", "1", 10)));
        set("c", "it is replaced before");
        host.await(client.set(TENANT, message("d", "1", 10)));
        set("d", "");
        events.clear();
        host.advanceMillis(9_000);
        assertThat(events).isEmpty();

        host.advanceMillis(3_000);
        assertThat(events)
                .containsExactlyInAnyOrder(
                        new BrokerEvent.RetainedMessageExpired(TENANT, "a/b"),
                        new BrokerEvent.RetainedMessageExpired(new TenantId("birds"), odd));
        host.advanceMillis(10_000);
        assertThat(events).hasSize(2);
        assertThat(meters.get("godwit.retain.expired").functionCounter().count())
                .isEqualTo(2);
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
        assertThat(events).noneMatch(BrokerEvent.RetainedMessageExpired.class::isInstance);
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
}
