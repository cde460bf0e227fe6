package io.godwit.inbox.queue;

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
import io.godwit.kv.client.RangeClient;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

/**
 * Brings each request to the leader of the range that owns the inbox; but what only asks about a session is answered at
 * once where it is known that there is none. Thread-safe.
 */
public final class InboxRouter implements InboxClient {
    private static final int[] ONLY = {0};

    private final RangeClient ranges;
    private final StoredInboxes stored;

    /** @param stored what the leaders of this node know */
    public InboxRouter(RangeClient ranges, StoredInboxes stored) {
        this.ranges = ranges;
        this.stored = stored;
    }

    @Override
    public CompletableFuture<AttachReply> attach(AttachRequest request, InboxListener listener) {
        InboxId id = new InboxId(request.client().tenant(), request.client().clientId());
        byte[] prefix = InboxKeys.prefix(id.tenant(), id.clientId());
        SessionCall.Attach call = new SessionCall.Attach(id, prefix, request, listener);
        ranges.submit(prefix, call);
        return call.answer;
    }

    @Override
    public CompletableFuture<Optional<InboxAttachment>> continueAttachment(
            ContinueRequest request, InboxListener listener) {
        InboxId id = new InboxId(request.client().tenant(), request.client().clientId());
        byte[] prefix = InboxKeys.prefix(id.tenant(), id.clientId());
        SessionCall.Continue call = new SessionCall.Continue(id, prefix, request, listener);
        ranges.submit(prefix, call);
        return call.answer;
    }

    @Override
    public CompletableFuture<SessionOwner> owner(ClientInfo client) {
        byte[] prefix = InboxKeys.prefix(client.tenant(), client.clientId());
        if (stored.isAbsent(prefix)) {
            return CompletableFuture.completedFuture(SessionOwner.NO_SESSION);
        }
        SessionCall.Owner call = new SessionCall.Owner(new InboxId(client.tenant(), client.clientId()), prefix, client);
        ranges.submit(prefix, call);
        return call.answer;
    }

    @Override
    public CompletableFuture<Void> keepWill(ClientInfo client, long expirySeconds, Will will, boolean isRecorded) {
        byte[] prefix = InboxKeys.prefix(client.tenant(), client.clientId());
        InboxId id = new InboxId(client.tenant(), client.clientId());
        SessionCall.KeepWill call = new SessionCall.KeepWill(id, prefix, client, expirySeconds, will, isRecorded);
        ranges.submit(prefix, call);
        return call.answer;
    }

    @Override
    public CompletableFuture<Void> distributed(
            TenantId tenant, ClientId clientId, long tokenNumber, Predicate<String> isOrigin) {
        byte[] prefix = InboxKeys.prefix(tenant, clientId);
        if (stored.isAbsent(prefix)) {
            return CompletableFuture.completedFuture(null);
        }
        SessionCall.Distributed call =
                new SessionCall.Distributed(new InboxId(tenant, clientId), prefix, tokenNumber, isOrigin);
        ranges.submit(prefix, call);
        return call.answer;
    }

    @Override
    public CompletableFuture<Boolean> delete(TenantId tenant, ClientId clientId) {
        byte[] prefix = InboxKeys.prefix(tenant, clientId);
        if (stored.isAbsent(prefix)) {
            return CompletableFuture.completedFuture(false);
        }
        SessionCall.Delete call = new SessionCall.Delete(new InboxId(tenant, clientId), prefix);
        ranges.submit(prefix, call);
        return call.answer;
    }

    @Override
    public CompletableFuture<List<InsertOutcome>> insert(InsertRequest request) {
        List<InsertRequest.Target> targets = request.targets();
        if (targets.isEmpty()) {
            return CompletableFuture.completedFuture(List.of());
        }
        if (targets.size() == 1) {
            InsertCall.Answer answer = new InsertCall.Answer(1, 1);
            ranges.submit(keyOf(request, 0), new InsertCall(request, ONLY, answer, false));
            return answer.future;
        }
        return insertMany(request);
    }

    private CompletableFuture<List<InsertOutcome>> insertMany(InsertRequest request) {
        int count = request.targets().size();
        InsertCall.Answer answer = new InsertCall.Answer(count, 1);
        ranges.submitParts(count, target -> keyOf(request, target), targets -> {
            answer.partAdded();
            return new InsertCall(request, targets, answer, false);
        });
        answer.partDone(); // the parting itself
        return answer.future;
    }

    static byte[] keyOf(InsertRequest request, int target) {
        return InboxKeys.prefix(request.tenant(), request.targets().get(target).clientId());
    }
}
