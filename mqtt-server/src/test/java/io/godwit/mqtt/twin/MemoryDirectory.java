package io.godwit.mqtt.twin;

import io.godwit.inbox.client.SessionDirectory;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

/** Leases in the order they were asked for. */
public final class MemoryDirectory implements SessionDirectory {
    private record Request(Holder holder, CompletableFuture<Lease> lease) {}

    private final Map<ClientId, ArrayDeque<Request>> requests = new HashMap<>();

    @Override
    public Optional<CompletableFuture<Lease>> acquire(
            TenantId tenant, ClientId clientId, Holder holder, Predicate<Holder> mayFollow) {
        Request request = new Request(holder, new CompletableFuture<>());
        Request present;
        synchronized (this) {
            ArrayDeque<Request> queue = requests.computeIfAbsent(clientId, id -> new ArrayDeque<>());
            present = queue.peekLast();
            if (present != null && !mayFollow.test(present.holder())) {
                return Optional.empty();
            }
            queue.addLast(request);
        }
        if (present == null) {
            request.lease().complete(() -> release(clientId));
        } else {
            present.holder().giveUp();
        }
        return Optional.of(request.lease());
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
            next.lease().complete(() -> release(clientId));
        }
    }

    public synchronized int size() {
        return requests.size();
    }
}
