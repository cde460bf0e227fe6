package io.godwit.mqtt.twin;

import io.godwit.inbox.client.SessionDirectory;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Leases in the order they were asked for. */
public final class MemoryDirectory implements SessionDirectory {
    private record Request(Holder holder, CompletableFuture<Answer> answer) {
        void grant(Lease lease) {
            answer.complete(lease);
        }
    }

    private final Map<ClientId, ArrayDeque<Request>> requests = new HashMap<>();

    @Override
    public CompletableFuture<Answer> acquire(TenantId tenant, ClientId clientId, Holder holder, Takeover takeover) {
        Request request = new Request(holder, new CompletableFuture<>());
        Request present;
        synchronized (this) {
            ArrayDeque<Request> queue = requests.computeIfAbsent(clientId, id -> new ArrayDeque<>());
            present = queue.peekLast();
            String user = present == null ? null : present.holder().userName();
            if (takeover == Takeover.OF_SAME_USER && user != null && !user.equals(holder.userName())) {
                return CompletableFuture.completedFuture(Refusal.OTHER_USER);
            }
            queue.addLast(request);
        }
        if (present == null) {
            request.grant(() -> release(clientId));
        } else {
            present.holder().giveUp();
        }
        return request.answer();
    }

    private void release(ClientId clientId) {
        Request next;
        synchronized (this) {
            ArrayDeque<Request> queue = requests.getOrDefault(clientId, new ArrayDeque<>());
            queue.removeFirst();
            next = queue.peekFirst();
            if (next == null) {
                requests.remove(clientId);
            }
        }
        if (next != null) {
            next.grant(() -> release(clientId));
        }
    }

    public synchronized int size() {
        return requests.size();
    }
}
