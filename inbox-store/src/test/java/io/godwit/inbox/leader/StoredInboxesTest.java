package io.godwit.inbox.leader;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.inbox.client.AttachRequest;
import io.godwit.inbox.client.SessionOwner;
import io.godwit.inbox.client.Will;
import io.godwit.inbox.format.InboxKeys;
import io.godwit.inbox.local.StoredInboxes;
import io.godwit.kv.coprocessor.RangeBounds;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Clients without anything stored are known without a query; for all others, certain or not, there is a query. */
class StoredInboxesTest {
    private static final byte[] A = prefix("a");
    private static final byte[] B = prefix("b");
    private static final RangeBounds ALL = new RangeBounds(new byte[0], null);

    private final StoredInboxes inboxes = new StoredInboxes();
    private final InboxFixture store = new InboxFixture();

    @AfterEach
    void close() {
        store.close();
    }

    private static byte[] prefix(String clientId) {
        return InboxKeys.prefix(TenantId.DEFAULT, new ClientId(clientId));
    }

    // --- one part

    @Test
    void nothingIsKnownBeforeAllRecordsWereWalked() {
        StoredInboxes.Part part = inboxes.new Part(ALL);
        assertThat(inboxes.isAbsent(A)).isFalse();
        StoredInboxes.Part.Walk walk = part.beginWalk();
        walk.found(B);
        assertThat(inboxes.isAbsent(A)).isFalse();
        walk.ended();
        assertThat(inboxes.isAbsent(A)).isTrue();
        assertThat(inboxes.isAbsent(B)).isFalse();
    }

    @Test
    void whatIsWrittenIsThereAtOnceAndAfterTheWalkItMissed() {
        StoredInboxes.Part part = inboxes.new Part(ALL);
        part.beginWalk().ended();
        part.written(A);
        assertThat(inboxes.isAbsent(A)).isFalse();
        // read by the walk before it was applied
        StoredInboxes.Part.Walk walk = part.beginWalk();
        part.written(B);
        walk.ended();
        assertThat(inboxes.isAbsent(A)).isFalse();
        assertThat(inboxes.isAbsent(B)).isFalse();
    }

    @Test
    void whatWasDeletedIsForgottenByTheSecondWalkAfterItWasWritten() {
        StoredInboxes.Part part = inboxes.new Part(ALL);
        part.beginWalk().ended();
        part.written(A);
        part.beginWalk().ended();
        assertThat(inboxes.isAbsent(A)).isFalse();
        part.beginWalk().ended();
        assertThat(inboxes.isAbsent(A)).isTrue();
    }

    @Test
    void aWalkThatWasBegunAnewCountsForNothing() {
        StoredInboxes.Part part = inboxes.new Part(ALL);
        StoredInboxes.Part.Walk first = part.beginWalk();
        StoredInboxes.Part.Walk second = part.beginWalk();
        second.found(A);
        first.ended();
        assertThat(inboxes.isAbsent(B)).isFalse();
        second.ended();
        assertThat(inboxes.isAbsent(B)).isTrue();
        assertThat(inboxes.isAbsent(A)).isFalse();
    }

    @Test
    void keysOfOtherRangesAreNotKnown() {
        byte[] cut = {8}; // after the tenant "default", which is 7 long
        StoredInboxes.Part lower = inboxes.new Part(new RangeBounds(new byte[0], cut));
        StoredInboxes.Part upper = inboxes.new Part(new RangeBounds(cut, null));
        byte[] ofUpper = InboxKeys.prefix(new TenantId("eightlong"), new ClientId("a"));
        lower.beginWalk().ended();
        assertThat(inboxes.isAbsent(A)).isTrue();
        assertThat(inboxes.isAbsent(ofUpper)).isFalse();
        upper.beginWalk().ended();
        assertThat(inboxes.isAbsent(ofUpper)).isTrue();
        lower.withdraw();
        assertThat(inboxes.isAbsent(A)).isFalse();
        assertThat(inboxes.isAbsent(ofUpper)).isTrue();
    }

    @Test
    void aLeaderThatEndsKnowsNothingAndOneThatBeginsHasWhatWasKnownForgotten() {
        StoredInboxes.Part part = inboxes.new Part(ALL);
        StoredInboxes.Part.Walk late = part.beginWalk();
        part.withdraw();
        late.ended();
        assertThat(inboxes.isAbsent(A)).isFalse();

        inboxes.new Part(ALL).beginWalk().ended();
        assertThat(inboxes.isAbsent(A)).isTrue();
        inboxes.new Part(new RangeBounds(A, B)); // a part of the keys, after a split
        assertThat(inboxes.isAbsent(A)).isFalse();
        assertThat(inboxes.isAbsent(prefix("zz"))).isFalse();
    }

    // --- the store

    private CompletableFuture<Boolean> delete(String clientId) {
        return store.client.delete(TenantId.DEFAULT, new ClientId(clientId));
    }

    @Test
    @Tag("in-process") // an answer at once
    void whoHasNothingStoredIsAnsweredAtOnce() {
        store.host.runUntilIdle();
        assertThat(delete("a")).isCompletedWithValue(false);
        assertThat(store.client.owner(InboxFixture.info("a"))).isCompletedWithValue(SessionOwner.NO_SESSION);
    }

    @Test
    @Tag("in-process") // an answer at once
    void whoHasASessionIsAskedFor() {
        store.host.runUntilIdle();
        store.absent("a");
        assertThat(delete("b")).isCompletedWithValue(false);
        CompletableFuture<Boolean> answer = delete("a");
        assertThat(answer).isNotDone();
        assertThat(store.host.await(answer)).isTrue();
        assertThat(store.stored("a")).isZero();
    }

    /** The leader decides: an uncommitted session may be committed at the next moment. */
    @Test
    void aSessionThatIsJustBeingStoredIsAskedFor() {
        store.host.runUntilIdle();
        store.host.holdSeals();
        CompletableFuture<?> attached = attachLater("a", null);
        store.host.runUntilIdle();
        assertThat(attached).isNotDone();
        CompletableFuture<Boolean> answer = delete("a");
        assertThat(answer).isNotDone();
        store.host.releaseSeals();
        assertThat(store.host.await(answer)).isTrue();
    }

    @Test
    @Tag("in-process") // an answer at once
    void aSessionIsFoundAfterACrashAndAfterAMove() {
        store.absent("a");
        store.crash(0);
        assertThat(delete("x")).as("the walk has not finished yet").isNotDone();
        store.host.runUntilIdle();
        assertThat(delete("x")).isCompletedWithValue(false);
        assertThat(store.client.owner(InboxFixture.info("a"))).isNotDone();
        store.move();
        assertThat(delete("x")).isCompletedWithValue(false);
        assertThat(store.host.await(store.client.owner(InboxFixture.info("a")))).isEqualTo(SessionOwner.SAME_USER);
        assertThat(store.host.await(delete("a"))).isTrue();
    }

    @Test
    @Tag("in-process") // an answer at once
    void hourlyWalksKeepThoseThatAreThereAndForgetTheOthers() {
        TestConnection connection = store.attach("a");
        store.absent("b");
        store.host.await(delete("b"));
        assertThat(delete("b")).as("a trace of the deleted session remains").isNotDone();
        for (int hour = 0; hour < 3; hour++) {
            store.host.advanceMillis(3_600_000);
            store.host.runUntilIdle();
        }
        assertThat(delete("b")).isCompletedWithValue(false);
        assertThat(store.client.owner(InboxFixture.info("a"))).isNotDone();
        store.detach(connection);
    }

    /** A session that ends with its connection is stored only for its will. */
    @Test
    void aWillIsSomethingStored() {
        store.host.runUntilIdle();
        TestConnection connection = store.attach("a", true, 0, new Will(store.message("gone", 1), 0));
        assertThat(store.client.owner(InboxFixture.info("a"))).isNotDone();
        store.detach(connection);
    }

    private CompletableFuture<?> attachLater(String clientId, @Nullable Will will) {
        return store.attachLater(clientId, false, AttachRequest.NEVER, will, new TestConnection());
    }
}
