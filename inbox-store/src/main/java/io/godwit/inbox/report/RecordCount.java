package io.godwit.inbox.report;

import io.godwit.inbox.protocol.InboxId;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * How many client ids of a kind have a record, in all ranges that are led here. A record is a session, or a will still
 * to be published. Thread-safe: range executors write, any thread reads.
 */
public final class RecordCount {
    private final Predicate<ClientId> kind;
    private final AtomicLong total = new AtomicLong();
    /** Without zeros. */
    private final ConcurrentMap<TenantId, Long> byTenant = new ConcurrentHashMap<>();

    /** @param kind which client ids are counted; each one takes memory */
    public RecordCount(Predicate<ClientId> kind) {
        this.kind = kind;
    }

    /** Too low for a while after a leadership begins, until its range has been walked. */
    public long total() {
        return total.get();
    }

    /** The same of one tenant. */
    public long total(TenantId tenant) {
        return byTenant.getOrDefault(tenant, 0L);
    }

    private void more(TenantId tenant) {
        total.incrementAndGet();
        byTenant.merge(tenant, 1L, Long::sum);
    }

    private void less(TenantId tenant) {
        total.decrementAndGet();
        byTenant.computeIfPresent(tenant, (same, count) -> count == 1 ? null : count - 1);
    }

    /** The count of one leader. Owned by it. */
    public final class Part {
        private final Set<InboxId> there = new HashSet<>();
        /** Ids deleted since the first walk began, which may still find them; null when that walk is over. */
        private @Nullable Set<InboxId> gone = new HashSet<>();

        /** The walk has found a record. */
        public void found(InboxId id) {
            if (kind.test(id.clientId()) && (gone == null || !gone.contains(id))) {
                add(id);
            }
        }

        public void walked() {
            gone = null;
        }

        public void written(InboxId id) {
            if (kind.test(id.clientId())) {
                if (gone != null) {
                    gone.remove(id);
                }
                add(id);
            }
        }

        public void deleted(InboxId id) {
            if (kind.test(id.clientId())) {
                if (gone != null) {
                    gone.add(id);
                }
                if (there.remove(id)) {
                    less(id.tenant());
                }
            }
        }

        /** The leadership is over. */
        public void stop() {
            there.forEach(id -> less(id.tenant()));
            there.clear();
        }

        private void add(InboxId id) {
            if (there.add(id)) {
                more(id.tenant());
            }
        }
    }
}
