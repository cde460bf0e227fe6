package io.godwit.inbox.edge;

import io.godwit.inbox.client.InboxAttachment;
import io.godwit.inbox.client.InboxListener;
import io.godwit.inbox.client.ReplayOutcome;
import io.godwit.inbox.client.ReplayStep;
import io.godwit.inbox.client.StoredSubscription;
import io.godwit.inbox.protocol.Answer;
import io.godwit.inbox.protocol.AttachmentCommand;
import io.godwit.inbox.protocol.AttachmentPort;
import io.godwit.inbox.protocol.DeliveryStream;
import io.godwit.inbox.protocol.InboxDelivery;
import io.godwit.inbox.protocol.InboxReply;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.topic.TopicFilter;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A connection's attachment: turns its calls into commands, and passes the leader's deliveries to its listener. The
 * connection gets this object with the answer to its attach, after {@link #opened}.
 */
final class EdgeAttachment implements InboxAttachment, DeliveryStream {
    private final InboxListener listener;
    /** Written before the answer to the attach hands this object on; constant after that. */
    private @Nullable AttachmentPort port;

    EdgeAttachment(InboxListener listener) {
        this.listener = listener;
    }

    // --- from the leader

    @Override
    public void opened(AttachmentPort leader) {
        port = leader;
    }

    @Override
    public void next(InboxDelivery delivery) {
        delivery.tell(listener);
    }

    // --- from the connection

    private AttachmentPort port() {
        AttachmentPort opened = port;
        if (opened == null) {
            throw new IllegalStateException("used before it was opened");
        }
        return opened;
    }

    private <T extends @Nullable Object> CompletableFuture<T> ask(
            AttachmentCommand command, Function<InboxReply, T> valueOf) {
        PendingAnswer<T> answer = new PendingAnswer<>(valueOf);
        port().post(command, answer);
        return answer;
    }

    @Override
    public void request(int messages) {
        port().post(new AttachmentCommand.Request(messages), Answer.NOBODY);
    }

    @Override
    public void acknowledge(long[] sequences) {
        port().post(new AttachmentCommand.Acknowledge(sequences), Answer.NOBODY);
    }

    @Override
    public CompletableFuture<Void> received(long sequence) {
        return ask(new AttachmentCommand.Received(sequence), PendingAnswer.NOTHING);
    }

    @Override
    public void complete(long sequence) {
        port().post(new AttachmentCommand.Complete(sequence), Answer.NOBODY);
    }

    @Override
    public CompletableFuture<List<Boolean>> subscribe(List<StoredSubscription> subscriptions) {
        return ask(new AttachmentCommand.Subscribe(subscriptions), reply -> ((InboxReply.Flags) reply).areSet());
    }

    @Override
    public CompletableFuture<List<Boolean>> unsubscribe(List<TopicFilter> filters) {
        return ask(new AttachmentCommand.Unsubscribe(filters), reply -> ((InboxReply.Flags) reply).areSet());
    }

    @Override
    public CompletableFuture<ReplayOutcome> replay(ReplayStep step) {
        return ask(new AttachmentCommand.Replay(step), reply -> ((InboxReply.Replay) reply).outcome());
    }

    @Override
    public CompletableFuture<Void> replayed(TopicFilter filter, String to) {
        return ask(new AttachmentCommand.Replayed(filter, to), PendingAnswer.NOTHING);
    }

    @Override
    public CompletableFuture<Inbound> receive(int packetId, Message message) {
        return ask(new AttachmentCommand.Receive(packetId, message), reply -> ((InboxReply.Received) reply).inbound());
    }

    @Override
    public CompletableFuture<Void> distributed(int packetId, long tokenNumber) {
        PendingAnswer<@Nullable Void> answer = new PendingAnswer<>(PendingAnswer.NOTHING);
        port().markDistributed(packetId, tokenNumber, answer);
        return answer;
    }

    @Override
    public CompletableFuture<Boolean> release(int packetId) {
        return ask(new AttachmentCommand.Release(packetId), reply -> ((InboxReply.Flag) reply).isSet());
    }

    @Override
    public CompletableFuture<Void> detach(long expirySeconds, boolean publishWill, long sentBelow) {
        return ask(new AttachmentCommand.Detach(expirySeconds, publishWill, sentBelow), PendingAnswer.NOTHING);
    }
}
