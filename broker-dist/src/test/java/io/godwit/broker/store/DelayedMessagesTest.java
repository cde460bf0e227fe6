package io.godwit.broker.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.dist.client.DeliveryToken;
import io.godwit.dist.client.DistOutcome;
import io.godwit.inbox.client.AttachReply;
import io.godwit.inbox.client.AttachRequest;
import io.godwit.inbox.client.ContinueRequest;
import io.godwit.inbox.client.InboxAttachment;
import io.godwit.inbox.client.InboxClient;
import io.godwit.inbox.client.InboxListener;
import io.godwit.inbox.client.InsertOutcome;
import io.godwit.inbox.client.InsertRequest;
import io.godwit.inbox.client.OriginDigest;
import io.godwit.inbox.client.SessionOwner;
import io.godwit.inbox.client.StoredSubscription;
import io.godwit.inbox.client.Will;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.Resend;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class DelayedMessagesTest {
    private static final ClientInfo PUBLISHER =
            new ClientInfo(TenantId.DEFAULT, new ClientId("a/b"), "ann", "127.0.0.1:1", 5);

    private record Kept(ClientInfo client, long expirySeconds, Will will, boolean isRecorded) {}

    private final List<Kept> kept = new ArrayList<>();
    /** The token number and the digest of the origin that were marked as distributed, by the publisher. */
    private final Map<ClientId, List<Object>> marked = new HashMap<>();

    private CompletableFuture<Void> keeping = CompletableFuture.completedFuture(null);
    private SessionOwner owner = SessionOwner.NO_SESSION;
    private long stored;
    private final DelayedRoom room = new DelayedRoom(() -> stored, tenant -> stored, 2);
    private final DelayedMessages delayed = new DelayedMessages(Inbox::new, room);

    @Test
    void aMessageForLaterIsTheWillOfASessionOfItsOwn() {
        assertThat(take("$delayed/30/t/1", null)).isCompletedWithValue(DistOutcome.DELIVERED);

        Kept request = kept.get(0);
        assertThat(request.expirySeconds()).isEqualTo(30);
        assertThat(request.isRecorded()).isFalse();
        Will will = request.will();
        assertThat(will.delaySeconds()).isEqualTo(30);
        assertThat(will.message().topic()).isEqualTo("t/1");
        assertThat(will.message().qos()).isEqualTo(Qos.EXACTLY_ONCE);
        assertThat(will.message().retain()).isTrue();
        assertThat(request.client().clientId().value())
                .as("no client can have this client id")
                .startsWith("\0");
        assertThat(delayed.publisherOf(request.client())).isEqualTo(PUBLISHER);
        assertThat(delayed.publisherOf(PUBLISHER)).isEqualTo(PUBLISHER);
        assertThat(delayed.beforePublish(request.client())).isCompleted();
        assertThat(delayed.beforePublish(PUBLISHER)).isCompleted();
        assertThat(marked).isEmpty();
    }

    @Test
    void itIsAcknowledgedOnceItIsStored() {
        keeping = new CompletableFuture<>();
        CompletableFuture<DistOutcome> outcome = take("$delayed/30/t", null);
        assertThat(outcome).isNotDone();
        keeping.completeExceptionally(new RangeException(RangeException.Cause.DISK_FULL, "full"));
        assertThat(outcome).isCompletedWithValue(DistOutcome.OVERLOADED);
    }

    @Test
    void messagesWithoutADelayAreNotStored() {
        assertThat(take("$other/1/t", null)).isNull();
        assertThat(take("$delayed/x/t", null)).isNull();
        assertThat(kept).isEmpty();
    }

    @Test
    void eachHasASessionOfItsOwnUnlessItIsARepeat() {
        take("$delayed/30/t", null);
        take("$delayed/30/t", null);
        take("$delayed/30/t", new DeliveryToken("o", 7, 0));
        take("$delayed/30/t", new DeliveryToken("o", 7, 0));

        assertThat(kept).extracting(request -> request.client().clientId()).hasSize(4);
        assertThat(keepers()).hasSize(3);
    }

    /**
     * The keepers of two nodes or of two starts must have different names, or messages would get lost at the other's
     * keeper.
     */
    @Test
    void noOtherProcessHasTheSameNames() {
        DelayedMessages other = new DelayedMessages(Inbox::new, room);
        Message message =
                new Message("$delayed/30/t", new byte[] {1}, Qos.EXACTLY_ONCE, true, 5, MessageProperties.NONE);
        delayed.take(PUBLISHER, message, null);
        other.take(PUBLISHER, message, null);
        assertThat(keepers()).hasSize(2);
    }

    /** A client chooses its id, which is part of the origin. */
    @Test
    void originsWithTheSameHashCodeAreToldApart() {
        String one = "t/1/Aa";
        String other = "t/1/BB";
        assertThat(one).hasSameHashCodeAs(other);
        take("$delayed/30/t", new DeliveryToken(one, 7, 0));
        take("$delayed/30/t", new DeliveryToken(other, 7, 0));
        assertThat(keepers()).hasSize(2);
    }

    @Test
    void itIsOnRecordAsDistributedBeforeItIsPublished() {
        take("$delayed/30/t", new DeliveryToken("o", 7, 0));
        Kept request = kept.get(0);
        assertThat(request.isRecorded()).isTrue();
        assertThat(request.expirySeconds()).isEqualTo(30 + DelayedMessages.REMEMBER_SECONDS);
        assertThat(request.will().delaySeconds()).isEqualTo(30);
        assertThat(delayed.publisherOf(request.client())).isEqualTo(PUBLISHER);

        CompletableFuture<Void> recorded = delayed.beforePublish(request.client());
        assertThat(marked).containsOnlyKeys(PUBLISHER.clientId());
        assertThat(marked.get(PUBLISHER.clientId())).containsExactly(7L, OriginDigest.of("o"));
        assertThat(recorded).isCompleted();
    }

    @Test
    void moreThanTheMostAreRefusedUntilSomeArePublished() {
        stored = 1; // as if stored before the start
        keeping = new CompletableFuture<>();
        CompletableFuture<DistOutcome> underWay = take("$delayed/30/t", null);
        assertThat(take("$delayed/30/t", null)).isCompletedWithValue(DistOutcome.OVERLOADED);
        keeping.completeExceptionally(new RangeException(RangeException.Cause.CLOSED, "closed"));
        assertThat(underWay).isCompletedWithValue(DistOutcome.FAILED);

        keeping = CompletableFuture.completedFuture(null);
        assertThat(take("$delayed/30/t", null)).isCompletedWithValue(DistOutcome.DELIVERED);
        stored = 2;
        assertThat(take("$delayed/30/t", null)).isCompletedWithValue(DistOutcome.OVERLOADED);
        stored = 1;
        assertThat(take("$delayed/30/t", null)).isCompletedWithValue(DistOutcome.DELIVERED);
    }

    /** Otherwise its publisher would be refused again and again, though the message is stored. */
    @Test
    void aRepeatIsTakenThoughThereIsNoRoomForMore() {
        stored = 2;
        DeliveryToken token = new DeliveryToken("o", 7, 0);
        assertThat(take("$delayed/30/t", token)).isCompletedWithValue(DistOutcome.OVERLOADED);
        assertThat(kept).isEmpty();
        owner = SessionOwner.SAME_USER;
        assertThat(take("$delayed/30/t", token)).isCompletedWithValue(DistOutcome.DELIVERED);
    }

    @Test
    void atTheQuotaOfItsTenantAMessageIsRefusedAndReportedAndARepeatIsNot() {
        List<ClientInfo> refused = new ArrayList<>();
        room.limitedBy(new DelayedQuota() {
            @Override
            public long most(TenantId tenant) {
                return 1;
            }

            @Override
            public void reached(ClientInfo publisher, long most) {
                assertThat(most).isOne();
                refused.add(publisher);
            }
        });
        stored = 1;
        assertThat(take("$delayed/30/t", null)).isCompletedWithValue(DistOutcome.OVERLOADED);
        assertThat(refused).containsExactly(PUBLISHER);

        owner = SessionOwner.SAME_USER;
        assertThat(take("$delayed/30/t", new DeliveryToken("o", 7, 0))).isCompletedWithValue(DistOutcome.DELIVERED);
        assertThat(refused).hasSize(1);
    }

    @Test
    void aLeaderThatIsReplacedInBetweenIsFollowed() {
        CompletableFuture<Void> first = new CompletableFuture<>();
        keeping = first;
        CompletableFuture<DistOutcome> outcome = take("$delayed/30/t", null);
        keeping = CompletableFuture.completedFuture(null);
        first.completeExceptionally(new RangeException(RangeException.Cause.MOVED, "replaced"));
        assertThat(outcome).isCompletedWithValue(DistOutcome.DELIVERED);
        assertThat(kept).hasSize(2);
        assertThat(kept.get(1)).isEqualTo(kept.get(0));
    }

    @Test
    void itsSessionIsToldFromThoseOfClients() {
        take("$delayed/30/t", null);
        assertThat(DelayedMessages.isKeeper(kept.get(0).client().clientId())).isTrue();
        assertThat(DelayedMessages.isKeeper(PUBLISHER.clientId())).isFalse();
    }

    @Test
    void onlyAsKeepersAreCalledAreNamesOfSome() {
        take("$delayed/30/t", null);
        take("$delayed/30/t", new DeliveryToken("o", 7, 0));
        take("$delayed/30/t", new DeliveryToken("o", Long.MAX_VALUE, 0));
        assertThat(kept)
                .allMatch(each -> DelayedMessages.mayBeKeeper(each.client().clientId()));
        String digest = OriginDigest.of("o");
        for (String name : List.of(
                "token.1\"\n2026-01-01 INFO forged." + digest + "/a",
                "token.9999999999999999999." + digest + "/a",
                "token.007." + digest + "/a",
                "token.7." + digest.substring(1) + "/a",
                "token.7." + digest,
                "token.7." + digest + "/",
                "token./a",
                "7.1/a",
                "/a",
                "")) {
            assertThat(DelayedMessages.mayBeKeeper(new ClientId("\0delayed/" + name)))
                    .as(name)
                    .isFalse();
        }
        assertThat(DelayedMessages.mayBeKeeper(PUBLISHER.clientId())).isFalse();
    }

    private List<ClientId> keepers() {
        return kept.stream()
                .map(request -> request.client().clientId())
                .distinct()
                .toList();
    }

    private @Nullable CompletableFuture<DistOutcome> take(String topic, @Nullable DeliveryToken token) {
        Message message = new Message(topic, new byte[] {1}, Qos.EXACTLY_ONCE, true, 5, MessageProperties.NONE);
        return delayed.take(PUBLISHER, message, token);
    }

    /** Takes wills only. */
    private final class Inbox implements InboxClient {
        @Override
        public CompletableFuture<AttachReply> attach(AttachRequest request, InboxListener listener) {
            throw new AssertionError("attach");
        }

        @Override
        public CompletableFuture<Void> keepWill(ClientInfo client, long expirySeconds, Will will, boolean isRecorded) {
            kept.add(new Kept(client, expirySeconds, will, isRecorded));
            return keeping;
        }

        @Override
        public CompletableFuture<Void> distributed(
                TenantId tenant, ClientId clientId, long tokenNumber, String originDigest) {
            marked.put(clientId, List.of(tokenNumber, originDigest));
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public CompletableFuture<Optional<InboxAttachment>> continueAttachment(
                ContinueRequest request, InboxListener listener) {
            throw new AssertionError("continueAttachment");
        }

        @Override
        public CompletableFuture<SessionOwner> owner(ClientInfo client) {
            return CompletableFuture.completedFuture(owner);
        }

        @Override
        public CompletableFuture<Boolean> delete(TenantId tenant, ClientId clientId) {
            throw new AssertionError("delete");
        }

        @Override
        public CompletableFuture<Boolean> delete(TenantId tenant, ClientId clientId, Resend resend) {
            throw new AssertionError("delete");
        }

        @Override
        public CompletableFuture<FilterChange> changeFilters(
                TenantId tenant,
                ClientId clientId,
                boolean countsAttachment,
                List<StoredSubscription> added,
                List<TopicFilter> removed,
                Resend resend) {
            throw new AssertionError("filters");
        }

        @Override
        public CompletableFuture<Boolean> discard(TenantId tenant, ClientId clientId, Resend resend) {
            throw new AssertionError("discard");
        }

        @Override
        public CompletableFuture<Optional<Purged>> purge(TenantId tenant, ClientId clientId, Resend resend) {
            throw new AssertionError("purge");
        }

        @Override
        public CompletableFuture<List<InsertOutcome>> insert(InsertRequest request) {
            throw new AssertionError("insert");
        }
    }
}
