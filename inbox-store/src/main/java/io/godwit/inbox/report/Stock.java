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

    /** What one leader counts. Owned by it. */
    public final class Part {
        private final Map<TenantId, Long> partSessions = new HashMap<>();
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
                add(found.messages(), found.bytes());
                rememberApart(found.id(), found.apartBytes());
            }
            walkAt = page.next();
            if (walkAt == null) {
                ahead.clear();
            }
        }

        /** So many messages more, or fewer. */
        public void add(int count, long bytes) {
            if (!isStopped && count != 0) {
                partMessages += count;
                partBytes += bytes;
                messages.add(count);
                payloadBytes.add(bytes);
            }
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
            messages.add(-partMessages);
            payloadBytes.add(-partBytes);
            isStopped = true;
        }
    }
}
