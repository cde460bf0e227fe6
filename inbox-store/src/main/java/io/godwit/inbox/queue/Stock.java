package io.godwit.inbox.queue;

import io.godwit.inbox.protocol.InboxId;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
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
 * ({@link StockWalk}) comes by, whichever is first; until that walk is over the numbers are too low. Of the large
 * messages that an inbox had when it was counted only some are read; the others are taken for as large as these.
 *
 * <p>Thread-safe: range executors write it, anybody reads.
 */
public final class Stock {
    private final LongAdder detachedSessions = new LongAdder();
    private final LongAdder messages = new LongAdder();
    private final LongAdder payloadBytes = new LongAdder();

    public long detachedSessions() {
        return detachedSessions.sum();
    }

    public long messages() {
        return messages.sum();
    }

    public long payloadBytes() {
        return payloadBytes.sum();
    }

    /** What one leader counts. Owned by it. */
    final class Part {
        private long partSessions;
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

        /** The inbox has been loaded. */
        void loaded(InboxState state) {
            boolean isCounted = isCounted(state);
            state.countsAsDetached = isCounted && isDetached(state);
            sessionChanged(state);
            Long apart = apartBytes.remove(state.id);
            if (isCounted && apart != null) {
                state.ledger.spreadApart(apart);
            }
            state.ledger.joinStock(this, isCounted);
        }

        /** Whether it is counted already; it is from now on. */
        private boolean isCounted(InboxState state) {
            boolean isLost = lost.remove(state.id);
            byte[] at = walkAt;
            boolean isWalked = at == null || Arrays.compareUnsigned(state.prefix, at) < 0;
            return (isWalked || !ahead.add(state.id)) && !isLost;
        }

        /** A session has begun or ended, or has got or lost its connection. */
        void sessionChanged(InboxState state) {
            boolean isDetached = isDetached(state);
            if (isDetached != state.countsAsDetached) {
                state.countsAsDetached = isDetached;
                addSessions(isDetached ? 1 : -1);
            }
        }

        private static boolean isDetached(InboxState state) {
            return state.session != null
                    && state.attachment == null
                    && !state.discarded
                    && !InboxReports.isBrokersOwn(state.id);
        }

        /** What stands in memory is not what is stored. */
        void discarded(InboxState state) {
            sessionChanged(state);
            state.ledger.leaveStock();
            ahead.remove(state.id);
            apartBytes.remove(state.id);
            lost.add(state.id);
        }

        /** The inbox is not in memory any more; nothing about it changes until it is. */
        void forgotten(InboxState state) {
            long apart = state.ledger.apartToRemember();
            if (apart >= 0) {
                apartBytes.put(state.id, apart);
            }
        }

        /** The walk has read some more. */
        void walked(StockWalk.Page page) {
            for (StockWalk.Found found : page.found()) {
                if (ahead.remove(found.id()) || lost.contains(found.id())) {
                    continue;
                }
                if (!InboxReports.isBrokersOwn(found.id())) {
                    addSessions(1);
                }
                add(found.messages(), found.bytes());
                if (found.apartToRemember() >= 0) {
                    apartBytes.put(found.id(), found.apartToRemember());
                }
            }
            walkAt = page.next();
            if (walkAt == null) {
                ahead.clear();
            }
        }

        /** So many messages more, or fewer. */
        void add(int count, long bytes) {
            if (!isStopped && count != 0) {
                partMessages += count;
                partBytes += bytes;
                messages.add(count);
                payloadBytes.add(bytes);
            }
        }

        private void addSessions(int count) {
            if (!isStopped) {
                partSessions += count;
                detachedSessions.add(count);
            }
        }

        /** The leadership is over. */
        void stop() {
            detachedSessions.add(-partSessions);
            messages.add(-partMessages);
            payloadBytes.add(-partBytes);
            isStopped = true;
        }
    }
}
