package io.godwit.inbox.report;

import io.godwit.inbox.protocol.InboxId;
import io.godwit.plugin.client.TenantId;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Totals over the ranges that are led here: sessions whose client is not connected, and the messages in queues with the
 * bytes of their payloads. A message counts once for each session until that session has acknowledged it. Messages that
 * an ended session left to other members of shared groups do not count, nor do the broker's own sessions.
 *
 * <p>Bytes are also counted for each tenant, without the broker's own sessions, since a quota limits them.
 *
 * <p>Nothing of it is stored. A leader starts from zero, counts each inbox once, and after that each of its changes;
 * only a loaded inbox can change. An inbox is counted when it is loaded or when the first walk reaches it, whichever
 * comes first; until that walk is over the totals are too low. Only some of the large messages of an inbox are read
 * when it is counted; the others are assumed to have the same size.
 *
 * <p>Thread-safe: range executors write, any thread reads.
 */
public final class Stock {
    /**
     * A session that a walk has found.
     *
     * @param apartBytes bytes counted for its large messages; -1 when they may be read again
     */
    public record Found(InboxId id, int messages, long bytes, long apartBytes) {}

    /** @param next the prefix of the inbox to go on at, null at the end of the range */
    @SuppressWarnings("ArrayRecordComponent")
    public record Page(List<Found> found, byte @Nullable [] next) {}

    private final LongAdder detachedSessions = new LongAdder();
    private final LongAdder messages = new LongAdder();
    private final LongAdder payloadBytes = new LongAdder();

    /** Only tenants that have any. Concurrent: range executors write, any thread reads. */
    private final ConcurrentMap<TenantId, Long> detachedOfTenants = new ConcurrentHashMap<>();

    /** Tenants with waiting messages in some range, now or lately. Concurrent, as above. */
    private final ConcurrentMap<TenantId, Waiting> waiting = new ConcurrentHashMap<>();

    /** The messages that wait for the sessions of one tenant. */
    private static final class Waiting {
        private final LongAdder bytes = new LongAdder();
        /** Number of {@link Part}s that use it. Only written inside a compute of {@link #waiting}. */
        private int parts;
    }

    public long detachedSessions() {
        return detachedSessions.sum();
    }

    /** Detached sessions of one tenant. */
    public long detachedSessions(TenantId tenant) {
        return detachedOfTenants.getOrDefault(tenant, 0L);
    }

    private void addSessions(TenantId tenant, long count) {
        detachedSessions.add(count);
        detachedOfTenants.compute(tenant, (same, before) -> {
            long now = (before == null ? 0 : before) + count;
            return now == 0 ? null : Long.valueOf(now);
        });
    }

    public long messages() {
        return messages.sum();
    }

    public long payloadBytes() {
        return payloadBytes.sum();
    }

    /** The payload bytes of one tenant. */
    public long payloadBytes(TenantId tenant) {
        Waiting all = waiting.get(tenant);
        return all == null ? 0 : all.bytes.sum();
    }

    /** The tenants with waiting messages. */
    public Set<TenantId> tenants() {
        Set<TenantId> tenants = new HashSet<>();
        waiting.forEach((tenant, all) -> {
            if (all.bytes.sum() > 0) {
                tenants.add(tenant);
            }
        });
        return tenants;
    }

    /** Number of tenants in memory; for tests. */
    int knownTenants() {
        return waiting.size();
    }

    private Waiting join(TenantId tenant) {
        return waiting.compute(tenant, (same, present) -> {
            Waiting all = present == null ? new Waiting() : present;
            all.parts++;
            return all;
        });
    }

    private void leave(TenantId tenant) {
        waiting.computeIfPresent(tenant, (same, all) -> --all.parts == 0 ? null : all);
    }

    /** The payload bytes of one tenant in one range. Owned by the leader of the range. */
    private static final class PartOfTenant {
        private final Waiting all;
        private long bytes;

        PartOfTenant(Waiting all) {
            this.all = all;
        }
    }

    /** The counts of one leader. Owned by it. */
    public final class Part {
        /** Tenants without waiting messages that may stay, since they come and go with each message. */
        private static final int MAX_IDLE_TENANTS = 64;

        private final Map<TenantId, Long> partSessions = new HashMap<>();
        private final Map<TenantId, PartOfTenant> partTenants = new HashMap<>();
        /** At this number of tenants, those without waiting messages are removed. */
        private int cleanAt = MAX_IDLE_TENANTS;

        private long partMessages;
        private long partBytes;
        private boolean isStopped;

        /** The prefix of the first inbox that the walk has not reached; null when the walk is over. */
        private byte @Nullable [] walkAt = {};
        /** Inboxes that are counted, but not yet reached by the walk. */
        private final Set<InboxId> ahead = new HashSet<>();
        /** Inboxes no longer counted: a write of their state in memory failed, and they have not been loaded again. */
        private final Set<InboxId> lost = new HashSet<>();
        /**
         * Bytes counted for the large messages of inboxes that are not in memory, where a second reading would give
         * another number.
         */
        private final Map<InboxId, Long> apartBytes = new HashMap<>();

        /** Marks a loaded inbox as counted. Returns whether it was counted already. */
        public boolean count(InboxId id, byte[] prefix) {
            boolean isLost = lost.remove(id);
            byte[] at = walkAt;
            boolean isWalked = at == null || Arrays.compareUnsigned(prefix, at) < 0;
            return (isWalked || !ahead.add(id)) && !isLost;
        }

        /** Bytes counted for the large messages of a loaded inbox; null when they may be read again. */
        public @Nullable Long takeApart(InboxId id) {
            return apartBytes.remove(id);
        }

        /**
         * The inbox was dropped from memory.
         *
         * @param bytes counted for its large messages; -1 when they may be read again
         */
        public void rememberApart(InboxId id, long bytes) {
            if (bytes >= 0) {
                apartBytes.put(id, bytes);
            }
        }

        /** The state of the inbox in memory differs from the stored one. */
        public void lost(InboxId id) {
            ahead.remove(id);
            apartBytes.remove(id);
            lost.add(id);
        }

        /** The walk has read one more page. */
        public void walked(Page page) {
            for (Found found : page.found()) {
                if (ahead.remove(found.id()) || lost.contains(found.id())) {
                    continue;
                }
                if (!InboxReports.isBrokersOwn(found.id())) {
                    addSessions(found.id().tenant(), 1);
                }
                add(found.id(), found.messages(), found.bytes());
                rememberApart(found.id(), found.apartBytes());
            }
            walkAt = page.next();
            if (walkAt == null) {
                ahead.clear();
            }
        }

        /** Adds a number of messages of an inbox, which may be negative. */
        public void add(InboxId id, int count, long bytes) {
            if (isStopped || count == 0) {
                return;
            }
            partMessages += count;
            partBytes += bytes;
            messages.add(count);
            payloadBytes.add(bytes);
            if (bytes != 0 && !InboxReports.isBrokersOwn(id)) {
                PartOfTenant part = partOf(id.tenant());
                part.bytes += bytes;
                part.all.bytes.add(bytes);
            }
        }

        private PartOfTenant partOf(TenantId tenant) {
            PartOfTenant known = partTenants.get(tenant);
            if (known != null) {
                return known;
            }
            if (partTenants.size() >= cleanAt) {
                partTenants.entrySet().removeIf(each -> {
                    boolean isIdle = each.getValue().bytes == 0;
                    if (isIdle) {
                        leave(each.getKey());
                    }
                    return isIdle;
                });
                cleanAt = 2 * partTenants.size() + MAX_IDLE_TENANTS;
            }
            PartOfTenant made = new PartOfTenant(join(tenant));
            partTenants.put(tenant, made);
            return made;
        }

        /** The payload bytes of a tenant in all ranges that are led here. */
        public long bytesOfAll(TenantId tenant) {
            return Stock.this.payloadBytes(tenant);
        }

        /** Adds a number of sessions of a tenant without a connection; may be negative. */
        public void addSessions(TenantId tenant, int count) {
            if (!isStopped) {
                long now = partSessions.getOrDefault(tenant, 0L) + count;
                if (now == 0) {
                    partSessions.remove(tenant);
                } else {
                    partSessions.put(tenant, now);
                }
                Stock.this.addSessions(tenant, count);
            }
        }

        /** The leadership is over. */
        public void stop() {
            partSessions.forEach((tenant, count) -> Stock.this.addSessions(tenant, -count));
            partSessions.clear();
            partTenants.forEach((tenant, part) -> {
                part.all.bytes.add(-part.bytes);
                leave(tenant);
            });
            partTenants.clear();
            messages.add(-partMessages);
            payloadBytes.add(-partBytes);
            isStopped = true;
        }
    }
}
