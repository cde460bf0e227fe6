package io.godwit.inbox.queue;

import io.godwit.inbox.client.AttachReply;
import io.godwit.inbox.client.AttachRequest;
import io.godwit.inbox.client.InboxClient;
import io.godwit.inbox.client.InboxListener;
import io.godwit.inbox.client.InsertOutcome;
import io.godwit.inbox.client.InsertRequest;
import io.godwit.inbox.client.SessionOwner;
import io.godwit.kv.client.RangeClient;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Brings each request to the leader of the range that owns the inbox. Thread-safe: holds nothing. */
public final class InboxRouter implements InboxClient {
    private static final int[] ONLY = {0};

    private final RangeClient ranges;

    public InboxRouter(RangeClient ranges) {
        this.ranges = ranges;
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
    public CompletableFuture<SessionOwner> owner(ClientInfo client) {
        byte[] prefix = InboxKeys.prefix(client.tenant(), client.clientId());
        SessionCall.Owner call = new SessionCall.Owner(new InboxId(client.tenant(), client.clientId()), prefix, client);
        ranges.submit(prefix, call);
        return call.answer;
    }

    @Override
    public CompletableFuture<Boolean> delete(TenantId tenant, ClientId clientId) {
        byte[] prefix = InboxKeys.prefix(tenant, clientId);
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
            ranges.submit(keyOf(request, 0), new InsertCall(request, ONLY, answer, this));
            return answer.future;
        }
        return insertMany(request);
    }

    /** Sends one target again, whose range was not the one thought. */
    void resend(InsertRequest request, int target, InsertCall.Answer answer) {
        answer.partAdded();
        ranges.submit(keyOf(request, target), new InsertCall(request, new int[] {target}, answer, this));
    }

    private CompletableFuture<List<InsertOutcome>> insertMany(InsertRequest request) {
        int count = request.targets().size();
        List<byte[]> starts =
                ranges.rangeKeys(InboxKeys.tenantStart(request.tenant()), InboxKeys.tenantEnd(request.tenant()));
        int[][] parts = new int[starts.size()][];
        int[] sizes = new int[starts.size()];
        int used = 0;
        for (int target = 0; target < count; target++) {
            int part = starts.size() == 1 ? 0 : partOf(starts, keyOf(request, target));
            int[] members = parts[part];
            if (members == null) {
                members = new int[Math.min(count, 16)];
                used++;
            } else if (sizes[part] == members.length) {
                members = Arrays.copyOf(members, Math.min(count, members.length * 2));
            }
            members[sizes[part]++] = target;
            parts[part] = members;
        }
        InsertCall.Answer answer = new InsertCall.Answer(count, used);
        for (int part = 0; part < parts.length; part++) {
            if (sizes[part] > 0) {
                int[] members = Arrays.copyOf(parts[part], sizes[part]);
                ranges.submit(keyOf(request, members[0]), new InsertCall(request, members, answer, this));
            }
        }
        return answer.future;
    }

    /** The last start at or below the key. If ranges have been cut otherwise since, the leader says so. */
    private static int partOf(List<byte[]> starts, byte[] key) {
        int low = 0;
        int high = starts.size() - 1;
        while (low < high) {
            int middle = (low + high + 1) >>> 1;
            if (Arrays.compareUnsigned(starts.get(middle), key) <= 0) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low;
    }

    private static byte[] keyOf(InsertRequest request, int target) {
        return InboxKeys.prefix(request.tenant(), request.targets().get(target).clientId());
    }
}
