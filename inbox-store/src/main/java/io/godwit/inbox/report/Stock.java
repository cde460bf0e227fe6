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
 * What the ranges that are led here hold together: sessions whose client is not connected, and the messages in queues
 * with the bytes of their payloads. A message counts for each session that it waits for, until that has acknowledged
 * it. What a session that is over has left to other members of shared groups does not count, nor do the broker's own
 * sessions.
 *
 * <p>Bytes are counted for each tenant too, without the broker's own sessions: they are bounded by its quota.
 *
 * <p>Nothing of it is stored. A leader begins with nothing, counts each inbox once, and from then on each change of it,
 * which only a loaded inbox can have. An inbox is counted when it is loaded or when the walk of the start
 * comes by, whichever is first; until that walk is over the numbers are too low. Of the large
 * messages that an inbox had when it was counted only some are read; the others are taken for as large as these.
 *
 * <p>Thread-safe: range executors write it, anybody reads.
 */
public final class Stock {
    /**
     * A session that a walk has found.
     *
     * @param apartBytes what its large messages count for; -1 when it may be read again
     */
    public record Found(InboxId id, int messages, long bytes, long apartBytes) {}

    /** @param next the prefix of the inbox to go on at, null at the end of the range */
    @SuppressWarnings("ArrayRecordComponent")
    public record Page(List<Found> found, byte @Nullable [] next) {}

    private final LongAdder detachedSessions = new LongAdder();
    private final LongAdder messages = new LongAdder();
    private final LongAdder payloadBytes = new LongAdder();

    /** Of tenants that have any. Concurrent: range executors write it, anybody reads. */
    private final ConcurrentMap<TenantId, Long> detachedOfTenants = new ConcurrentHashMap<>();

    /** Of tenants for whose sessions something waits in some part, or did. As above. */
    private final ConcurrentMap<TenantId, Waiting> waiting = new ConcurrentHashMap<>();

    /** What waits for the sessions of one tenant. */
    private static final class Waiting {
        private final LongAdder bytes = new LongAdder();
        /** That know it. Written within a step of {@link #waiting}. */
        private int parts;
    }

    public long detachedSessions() {
        return detachedSessions.sum();
    }

    /** Those of one tenant. */
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

    /** Those of one tenant. */
    public long payloadBytes(TenantId tenant) {
        Waiting all = waiting.get(tenant);
        return all == null ? 0 : all.bytes.sum();
    }

    /** For whose sessions anything waits. */
    public Set<TenantId> tenants() {
        Set<TenantId> tenants = new HashSet<>();
        waiting.forEach((tenant, all) -> {
            if (all.bytes.sum() > 0) {
                tenants.add(tenant);
            }
        });
        return tenants;
    }

    /** That it has memory for; for tests. */
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

    /** What waits for the sessions of one tenant in one range. Owned by its leader. */
    private static final class PartOfTenant {
        private final Waiting all;
        private long bytes;

        PartOfTenant(Waiting all) {
            this.all = all;
        }
    }

    /** What one leader counts. Owned by it. */
    public final class Part {
        /** So many tenants for which nothing waits any more may stay: they come and go with each message. */
        private static final int MAX_IDLE_TENANTS = 64;

        private final Map<TenantId, Long> partSessions = new HashMap<>();
        private final Map<TenantId, PartOfTenant> partTenants = new HashMap<>();
        /** At so many tenants it is looked for those for which nothing waits. */
        private int cleanAt = MAX_IDLE_TENANTS;

        private long partMessages;
        private long partBytes;
        private boolean isStopped;

        /** The prefix of the first inbox that the walk has not come to; null when it is over. */
        private byte @Nullable [] walkAt = {};
        /** Counted, and the walk has not come to them. */
        private final Set<InboxId> ahead = new HashSet<>();
        /** Not counted any more: what stood in memory could not be written, and they have not been loaded again. */
        private final Set<InboxId> lost = new HashSet<>();
        /**
         * What the large messages count for of inboxes that are not in memory, where reading them again would not say
         * the same.
         */
        private final Map<InboxId, Long> apartBytes = new HashMap<>();

        /** Whether the inbox, which has been loaded, is counted already; it is from now on. */
        public boolean count(InboxId id, byte[] prefix) {
            boolean isLost = lost.remove(id);
            byte[] at = walkAt;
            boolean isWalked = at == null || Arrays.compareUnsigned(prefix, at) < 0;
            return (isWalked || !ahead.add(id)) && !isLost;
        }

        /** What the large messages count for of the inbox, which has been loaded; null when it may be read again. */
        public @Nullable Long takeApart(InboxId id) {
            return apartBytes.remove(id);
        }

        /**
         * The inbox is not in memory any more.
         *
         * @param bytes what its large messages count for; -1 when it may be read again
         */
        public void rememberApart(InboxId id, long bytes) {
            if (bytes >= 0) {
                apartBytes.put(id, bytes);
            }
        }

        /** What stands in memory is not what is stored. */
        public void lost(InboxId id) {
            ahead.remove(id);
            apartBytes.remove(id);
            lost.add(id);
        }

        /** The walk has read some more. */
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

        /** So many messages more, or fewer, for an inbox. */
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

        /** What waits for the sessions of a tenant in all ranges that are led here. */
        public long bytesOfAll(TenantId tenant) {
            return Stock.this.payloadBytes(tenant);
        }

        /** So many sessions of a tenant without a connection more, or fewer. */
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
