package io.godwit.broker.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.dist.client.Delivery;
import io.godwit.dist.client.DeliveryToken;
import io.godwit.dist.client.DistOutcome;
import io.godwit.dist.client.InboxReceiver;
import io.godwit.dist.client.Match;
import io.godwit.dist.client.Strays;
import io.godwit.inbox.client.AttachReply;
import io.godwit.inbox.client.AttachRequest;
import io.godwit.inbox.client.ContinueRequest;
import io.godwit.inbox.client.InboxAttachment;
import io.godwit.inbox.client.InboxClient;
import io.godwit.inbox.client.InboxListener;
import io.godwit.inbox.client.InsertOutcome;
import io.godwit.inbox.client.InsertRequest;
import io.godwit.inbox.client.SessionOwner;
import io.godwit.inbox.client.StoredSubscription;
import io.godwit.inbox.client.Will;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RequestOrder;
import io.godwit.kv.client.RequestPlace;
import io.godwit.kv.client.Resend;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class InboxDelivererTest {
    private static final ClientInfo PUBLISHER =
            new ClientInfo(TenantId.DEFAULT, new ClientId("p"), null, "127.0.0.1:1", 5);
    private static final Message MESSAGE =
            new Message("a", new byte[] {1}, Qos.EXACTLY_ONCE, false, 0, MessageProperties.NONE);
    private static final Match FIRST = match("1");
    private static final Match SECOND = match("2");

    private final List<InsertRequest> inserts = new ArrayList<>();
    private final List<Match> strays = new ArrayList<>();
    private CompletableFuture<List<InsertOutcome>> answer = new CompletableFuture<>();
    private final InboxDeliverer deliverer = new InboxDeliverer(Inbox::new);

    @Test
    void tellsWhichSessionsHaveEnded() {
        answer = CompletableFuture.completedFuture(List.of(InsertOutcome.NO_SESSION, InsertOutcome.STORED));

        assertThat(deliver()).isCompletedWithValue(DistOutcome.DELIVERED);
        assertThat(strays).containsExactly(FIRST);
    }

    @Test
    void isNoMatchWhenAllHaveEnded() {
        answer = CompletableFuture.completedFuture(List.of(InsertOutcome.NO_SESSION, InsertOutcome.NO_SESSION));

        assertThat(deliver()).isCompletedWithValue(DistOutcome.NO_MATCH);
        assertThat(strays).containsExactly(FIRST, SECOND);
    }

    @Test
    void aCopyThatWasThereOrWasDroppedByALimitIsDelivered() {
        answer = CompletableFuture.completedFuture(List.of(InsertOutcome.ALREADY_THERE, InsertOutcome.DROPPED));

        assertThat(deliver()).isCompletedWithValue(DistOutcome.DELIVERED);
        assertThat(strays).isEmpty();
    }

    @Test
    void aMemberOfAGroupMayDeclineAndTheGroupIsTold() {
        Match own = match("1");
        Match shared = new Match(own.receiver(), own.qos(), false, Match.NO_IDS, new TopicFilter("g", "a"));
        Match forced = new Match(own.receiver(), own.qos(), true, Match.NO_IDS, new TopicFilter("g", "a"));
        List<Match> refused = new ArrayList<>();
        Strays strays = new Strays() {
            @Override
            public void found(String topic, Match match) {
                throw new AssertionError(match);
            }

            @Override
            public boolean mayRefuse(Match match) {
                return match.equals(shared);
            }

            @Override
            public void refused(Match match) {
                refused.add(match);
            }
        };
        answer = CompletableFuture.completedFuture(
                List.of(InsertOutcome.STORED, InsertOutcome.DECLINED, InsertOutcome.DROPPED));
        Delivery delivery = new Delivery(PUBLISHER, MESSAGE, List.of(own, shared, forced), null, strays);

        assertThat(deliverer.deliver(delivery)).isCompletedWithValue(DistOutcome.DELIVERED);
        assertThat(inserts.get(0).targets())
                .extracting(InsertRequest.Target::mayDecline)
                .containsExactly(false, true, false);
        assertThat(refused).containsExactly(shared);
    }

    @Test
    void asksWhichSessionsKnowAToken() {
        answer = CompletableFuture.completedFuture(
                List.of(InsertOutcome.ALREADY_THERE, InsertOutcome.DECLINED, InsertOutcome.NO_SESSION));
        Delivery delivery = new Delivery(
                PUBLISHER, MESSAGE, List.of(match("1"), match("2"), match("3")), new DeliveryToken("o", 7, 3));

        assertThat(deliverer.know(delivery)).isCompletedWithValue(List.of(true, false, false));
        assertThat(inserts.get(0).onlyAsks()).isTrue();
    }

    @Test
    void aFailedInsertTellsNoStrays() {
        answer = CompletableFuture.failedFuture(new RangeException(RangeException.Cause.OVERLOADED, "full"));
        assertThat(deliver()).isCompletedWithValue(DistOutcome.OVERLOADED);

        answer = CompletableFuture.failedFuture(new RangeException(RangeException.Cause.CLOSED, "closed"));
        assertThat(deliver()).isCompletedWithValue(DistOutcome.FAILED);
        assertThat(strays).isEmpty();
    }

    @Test
    void passesTheTokenAndTheLowerQos() {
        deliver();

        InsertRequest insert = inserts.get(0);
        assertThat(insert.tokenOrigin()).isEqualTo("o");
        assertThat(insert.tokenNumber()).isEqualTo(7);
        assertThat(insert.tokenFinishedBelow()).isEqualTo(3);
        assertThat(insert.targets()).extracting(InsertRequest.Target::qos).containsOnly(Qos.AT_LEAST_ONCE);
    }

    @Test
    void passesThePlaceOfAMessageWithoutAToken() {
        RequestPlace place = new RequestPlace(new RequestOrder(), 5);
        Resend resend = new Resend() {
            @Override
            public boolean isAbandoned() {
                return false;
            }

            @Override
            public RequestPlace place() {
                return place;
            }
        };
        deliverer.deliver(new Delivery(PUBLISHER, MESSAGE, List.of(FIRST), null, (topic, match) -> {}, resend));

        InsertRequest insert = inserts.get(0);
        assertThat(insert.tokenOrigin()).isNull();
        assertThat(insert.tokenNumber()).isEqualTo(5);
        assertThat(insert.order()).isSameAs(place.order());
    }

    @Test
    void passesWhichSubscriptionEachCopyIsFor() {
        InboxReceiver receiver = new InboxReceiver(TenantId.DEFAULT, new ClientId("1"), 1);
        deliver(FIRST, new Match(receiver, Qos.EXACTLY_ONCE, false, Match.NO_IDS, new TopicFilter("g", "a")));

        assertThat(inserts.get(0).targets())
                .extracting(InsertRequest.Target::sharedFilter)
                .containsExactly(null, "$share/g/a");
    }

    @Test
    void passesWhetherThePublishersConnectionHasEnded() {
        AtomicBoolean isOver = new AtomicBoolean();
        deliverer.deliver(new Delivery(PUBLISHER, MESSAGE, List.of(FIRST), null, (topic, match) -> {}, isOver::get));
        assertThat(inserts.get(0).resend().isAbandoned()).isFalse();
        isOver.set(true);
        assertThat(inserts.get(0).resend().isAbandoned()).isTrue();

        Message qos0 = new Message("a", new byte[1], Qos.AT_MOST_ONCE, false, 0, MessageProperties.NONE);
        deliverer.deliver(new Delivery(PUBLISHER, qos0, List.of(FIRST), null, (topic, match) -> {}, isOver::get));
        assertThat(inserts.get(1).resend().isAbandoned())
                .as("QoS 0 is not repeated, so it is never abandoned")
                .isFalse();
    }

    private CompletableFuture<DistOutcome> deliver() {
        return deliver(FIRST, SECOND);
    }

    private CompletableFuture<DistOutcome> deliver(Match... matches) {
        return deliverer.deliver(new Delivery(
                PUBLISHER,
                MESSAGE,
                List.of(matches),
                new DeliveryToken("o", 7, 3),
                (topic, match) -> strays.add(match)));
    }

    private static Match match(String client) {
        return new Match(
                new InboxReceiver(TenantId.DEFAULT, new ClientId(client), 1), Qos.AT_LEAST_ONCE, false, Match.NO_IDS);
    }

    /** Takes inserts only. */
    private final class Inbox implements InboxClient {
        @Override
        public CompletableFuture<AttachReply> attach(AttachRequest request, InboxListener listener) {
            throw new AssertionError("attach");
        }

        @Override
        public CompletableFuture<Optional<InboxAttachment>> continueAttachment(
                ContinueRequest request, InboxListener listener) {
            throw new AssertionError("continueAttachment");
        }

        @Override
        public CompletableFuture<SessionOwner> owner(ClientInfo client) {
            throw new AssertionError("owner");
        }

        @Override
        public CompletableFuture<Void> keepWill(ClientInfo client, long expirySeconds, Will will, boolean isRecorded) {
            throw new AssertionError("keepWill");
        }

        @Override
        public CompletableFuture<Void> distributed(
                TenantId tenant, ClientId clientId, long tokenNumber, String originDigest) {
            throw new AssertionError("distributed");
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
            inserts.add(request);
            return answer;
        }
    }
}
