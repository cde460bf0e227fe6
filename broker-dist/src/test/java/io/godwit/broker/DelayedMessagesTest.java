package io.godwit.broker;

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
import io.godwit.inbox.client.SessionOwner;
import io.godwit.inbox.client.Will;
import io.godwit.kv.client.RangeException;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class DelayedMessagesTest {
    private static final ClientInfo PUBLISHER =
            new ClientInfo(TenantId.DEFAULT, new ClientId("a/b"), "ann", "127.0.0.1:1", 5);

    private final List<AttachRequest> attached = new ArrayList<>();
    private final List<List<Object>> detached = new ArrayList<>();
    private CompletableFuture<Void> detachment = CompletableFuture.completedFuture(null);
    private long stored;
    private final DelayedMessages delayed = new DelayedMessages(Inbox::new, () -> stored, 2, 1_000);

    @Test
    void aMessageForLaterIsTheWillOfASessionOfItsOwn() {
        assertThat(take("$delayed/30/t/1", null)).isCompletedWithValue(DistOutcome.DELIVERED);

        AttachRequest request = attached.get(0);
        assertThat(request.expirySeconds()).isEqualTo(30);
        Will will = request.will();
        assertThat(will).isNotNull();
        assertThat(will.delaySeconds()).isEqualTo(30);
        assertThat(will.message().topic()).isEqualTo("t/1");
        assertThat(will.message().qos()).isEqualTo(Qos.EXACTLY_ONCE);
        assertThat(will.message().retain()).isTrue();
        assertThat(detached).as("keeps the expiry, publishes the will").containsExactly(List.of(-1L, true));
        assertThat(request.client().clientId().value())
                .as("no client may have it")
                .startsWith("\0");
        assertThat(delayed.publisherOf(request.client())).isEqualTo(PUBLISHER);
        assertThat(delayed.publisherOf(PUBLISHER)).isEqualTo(PUBLISHER);
    }

    @Test
    void itIsAcknowledgedOnceItIsStored() {
        detachment = new CompletableFuture<>();
        CompletableFuture<DistOutcome> outcome = take("$delayed/30/t", null);
        assertThat(outcome).isNotDone();
        detachment.completeExceptionally(new RangeException(RangeException.Cause.DISK_FULL, "full"));
        assertThat(outcome).isCompletedWithValue(DistOutcome.OVERLOADED);
    }

    @Test
    void whatIsForNowIsLeft() {
        assertThat(take("$other/1/t", null)).isNull();
        assertThat(take("$delayed/x/t", null)).isNull();
        assertThat(attached).isEmpty();
    }

    @Test
    void eachHasASessionOfItsOwnUnlessItIsARepeat() {
        take("$delayed/30/t", null);
        take("$delayed/30/t", null);
        take("$delayed/30/t", new DeliveryToken("o", 7, 0));
        take("$delayed/30/t", new DeliveryToken("o", 7, 0));

        assertThat(attached).extracting(request -> request.client().clientId()).hasSize(4);
        assertThat(attached.stream().map(request -> request.client().clientId()).distinct())
                .hasSize(3);
    }

    @Test
    void moreThanTheMostAreRefusedUntilSomeArePublished() {
        stored = 1; // from before the start, say
        detachment = new CompletableFuture<>();
        CompletableFuture<DistOutcome> underWay = take("$delayed/30/t", null);
        assertThat(take("$delayed/30/t", null)).isCompletedWithValue(DistOutcome.OVERLOADED);
        detachment.completeExceptionally(new RangeException(RangeException.Cause.CLOSED, "closed"));
        assertThat(underWay).isCompletedWithValue(DistOutcome.FAILED);

        detachment = CompletableFuture.completedFuture(null);
        assertThat(take("$delayed/30/t", null)).isCompletedWithValue(DistOutcome.DELIVERED);
        stored = 2;
        assertThat(take("$delayed/30/t", null)).isCompletedWithValue(DistOutcome.OVERLOADED);
        stored = 1;
        assertThat(take("$delayed/30/t", null)).isCompletedWithValue(DistOutcome.DELIVERED);
    }

    @Test
    void aLeaderThatIsReplacedInBetweenIsFollowed() {
        CompletableFuture<Void> first = new CompletableFuture<>();
        detachment = first;
        CompletableFuture<DistOutcome> outcome = take("$delayed/30/t", null);
        detachment = CompletableFuture.completedFuture(null);
        first.completeExceptionally(new RangeException(RangeException.Cause.MOVED, "replaced"));
        assertThat(outcome).isCompletedWithValue(DistOutcome.DELIVERED);
        assertThat(attached).hasSize(2);
        assertThat(attached.get(1)).isEqualTo(attached.get(0));
    }

    @Test
    void itsSessionIsToldFromThoseOfClients() {
        take("$delayed/30/t", null);
        assertThat(DelayedMessages.isKeeper(attached.get(0).client().clientId()))
                .isTrue();
        assertThat(DelayedMessages.isKeeper(PUBLISHER.clientId())).isFalse();
    }

    private @Nullable CompletableFuture<DistOutcome> take(String topic, @Nullable DeliveryToken token) {
        Message message = new Message(topic, new byte[] {1}, Qos.EXACTLY_ONCE, true, 5, MessageProperties.NONE);
        return delayed.take(PUBLISHER, message, token);
    }

    /** Takes attachments only. */
    private final class Inbox implements InboxClient {
        @Override
        public CompletableFuture<AttachReply> attach(AttachRequest request, InboxListener listener) {
            attached.add(request);
            InboxAttachment attachment = (InboxAttachment) Proxy.newProxyInstance(
                    InboxAttachment.class.getClassLoader(),
                    new Class<?>[] {InboxAttachment.class},
                    (proxy, method, args) -> {
                        if (!method.getName().equals("detach")) {
                            throw new AssertionError(method);
                        }
                        detached.add(List.of(args));
                        return detachment;
                    });
            return CompletableFuture.completedFuture(new AttachReply(false, 1, List.of(), new int[0], attachment));
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
        public CompletableFuture<Boolean> delete(TenantId tenant, ClientId clientId) {
            throw new AssertionError("delete");
        }

        @Override
        public CompletableFuture<List<InsertOutcome>> insert(InsertRequest request) {
            throw new AssertionError("insert");
        }
    }
}
