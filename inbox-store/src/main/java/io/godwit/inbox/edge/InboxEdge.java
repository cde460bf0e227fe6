package io.godwit.inbox.edge;

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
import io.godwit.inbox.protocol.InboxCarrier;
import io.godwit.inbox.protocol.InboxId;
import io.godwit.inbox.protocol.InboxReply;
import io.godwit.inbox.protocol.SessionCommand;
import io.godwit.kv.client.Resend;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.topic.TopicFilter;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The {@link InboxClient} of a node's frontends: turns each call into a command. Thread-safe. */
public final class InboxEdge implements InboxClient {
    private final InboxCarrier carrier;

    public InboxEdge(InboxCarrier carrier) {
        this.carrier = carrier;
    }

    private <T extends @Nullable Object> CompletableFuture<T> ask(
            SessionCommand command, Function<InboxReply, T> valueOf) {
        PendingAnswer<T> answer = new PendingAnswer<>(valueOf);
        carrier.ask(command, null, answer);
        return answer;
    }

    @Override
    public CompletableFuture<AttachReply> attach(AttachRequest request, InboxListener listener) {
        EdgeAttachment attachment = new EdgeAttachment(listener);
        PendingAnswer<AttachReply> answer = new PendingAnswer<>(reply -> {
            InboxReply.Attached attached = (InboxReply.Attached) reply;
            return new AttachReply(
                    attached.sessionPresent(),
                    attached.incarnation(),
                    attached.attachNumber(),
                    attached.subscriptions(),
                    attached.inbound(),
                    attachment);
        });
        carrier.ask(new SessionCommand.Attach(request), attachment, answer);
        return answer;
    }

    @Override
    public CompletableFuture<Optional<InboxAttachment>> continueAttachment(
            ContinueRequest request, InboxListener listener) {
        EdgeAttachment attachment = new EdgeAttachment(listener);
        PendingAnswer<Optional<InboxAttachment>> answer = new PendingAnswer<>(
                reply -> ((InboxReply.Flag) reply).isSet() ? Optional.of(attachment) : Optional.empty());
        carrier.ask(new SessionCommand.Continue(request), attachment, answer);
        return answer;
    }

    @Override
    public CompletableFuture<SessionOwner> owner(ClientInfo client) {
        return ask(new SessionCommand.Owner(client), reply -> ((InboxReply.Owner) reply).owner());
    }

    @Override
    public CompletableFuture<Void> keepWill(ClientInfo client, long expirySeconds, Will will, boolean isRecorded) {
        return ask(new SessionCommand.KeepWill(client, expirySeconds, will, isRecorded), PendingAnswer.NOTHING);
    }

    @Override
    public CompletableFuture<Void> distributed(
            TenantId tenant, ClientId clientId, long tokenNumber, String originDigest) {
        return ask(
                new SessionCommand.MarkKept(new InboxId(tenant, clientId), tokenNumber, originDigest),
                PendingAnswer.NOTHING);
    }

    @Override
    public CompletableFuture<Boolean> delete(TenantId tenant, ClientId clientId) {
        return ask(
                SessionCommand.Delete.forOperator(new InboxId(tenant, clientId)),
                reply -> ((InboxReply.Flag) reply).isSet());
    }

    @Override
    public CompletableFuture<Boolean> delete(TenantId tenant, ClientId clientId, Resend resend) {
        return ask(
                SessionCommand.Delete.forClient(new InboxId(tenant, clientId), resend),
                reply -> ((InboxReply.Flag) reply).isSet());
    }

    @Override
    public CompletableFuture<Boolean> discard(TenantId tenant, ClientId clientId, Resend resend) {
        return ask(
                SessionCommand.Delete.discardingWill(new InboxId(tenant, clientId), resend),
                reply -> ((InboxReply.Flag) reply).isSet());
    }

    @Override
    public CompletableFuture<Optional<Purged>> purge(TenantId tenant, ClientId clientId, Resend resend) {
        return ask(new SessionCommand.Purge(new InboxId(tenant, clientId), resend), reply -> {
            InboxReply.Purged purged = (InboxReply.Purged) reply;
            return purged.hasSession() ? Optional.of(new Purged(purged.messages(), purged.kept())) : Optional.empty();
        });
    }

    @Override
    public CompletableFuture<FilterChange> changeFilters(
            TenantId tenant,
            ClientId clientId,
            boolean countsAttachment,
            List<StoredSubscription> added,
            List<TopicFilter> removed,
            Resend resend) {
        SessionCommand command = new SessionCommand.ChangeFilters(
                new InboxId(tenant, clientId), countsAttachment, added, removed, resend);
        return ask(command, reply -> {
            InboxReply.FiltersChanged changed = (InboxReply.FiltersChanged) reply;
            return new FilterChange(
                    switch (changed.outcome()) {
                        case NO_SESSION -> FilterChange.Outcome.NO_SESSION;
                        case HELD -> FilterChange.Outcome.HELD;
                        case DONE -> FilterChange.Outcome.DONE;
                    },
                    changed.incarnation(),
                    changed.attachNumber(),
                    changed.flags());
        });
    }

    @Override
    public CompletableFuture<List<InsertOutcome>> insert(InsertRequest request) {
        if (request.targets().isEmpty()) {
            return CompletableFuture.completedFuture(List.of());
        }
        PendingAnswer<List<InsertOutcome>> answer =
                new PendingAnswer<>(reply -> ((InboxReply.Inserted) reply).outcomes());
        carrier.insert(request, answer);
        return answer;
    }

    @Override
    public boolean isCrowded() {
        return carrier.isCrowded();
    }
}
