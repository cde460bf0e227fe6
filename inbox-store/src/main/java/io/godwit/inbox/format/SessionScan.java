package io.godwit.inbox.format;

import io.godwit.inbox.expiry.SessionTimes;
import io.godwit.inbox.protocol.InboxId;
import io.godwit.kv.coprocessor.RangeCursor;
import io.godwit.kv.coprocessor.RangeReader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Walks the session records of a range. Seeks from one record to the next, so that it does not read the queues between
 * them. On an I/O thread.
 */
public final class SessionScan {
    /**
     * A session found.
     *
     * @param needsCare whether it is marked as attached or owes something: such inboxes are loaded when a leadership
     *     begins
     * @param dueMillis when it ends or its will is due, whichever is first; {@link Long#MAX_VALUE} for never
     */
    @SuppressWarnings("ArrayRecordComponent")
    public record Found(InboxId id, byte[] prefix, boolean needsCare, long dueMillis) {}

    /** @param next key to continue at, null at the end of the range */
    @SuppressWarnings("ArrayRecordComponent")
    public record Page(List<Found> found, byte @Nullable [] next) {}

    private SessionScan() {}

    public static Page page(RangeReader reader, byte[] start, byte @Nullable [] end, int maxSessions) {
        List<Found> found = new ArrayList<>();
        try (RangeCursor cursor = reader.cursor(start, end)) {
            for (cursor.seekToFirst(); cursor.isValid(); ) {
                byte[] key = cursor.key();
                if (found.size() == maxSessions) {
                    return new Page(found, key);
                }
                InboxId id = InboxKeys.inboxOf(key);
                byte[] prefix = InboxKeys.prefix(id.tenant(), id.clientId());
                if (Arrays.equals(key, InboxKeys.key(prefix, InboxKeys.SESSION))) {
                    found.add(found(id, prefix, SessionRecord.decode(id, cursor.value())));
                }
                cursor.seek(InboxKeys.key(prefix, InboxKeys.END));
            }
        }
        return new Page(found, null);
    }

    private static Found found(InboxId id, byte[] prefix, SessionRecord record) {
        StoredSession session = record.session();
        boolean owes = !record.owed().isEmpty() || !record.ended().isEmpty();
        if (session == null) {
            return new Found(id, prefix, owes, Long.MAX_VALUE);
        }
        StoredWill will = session.will();
        long due = will == null
                ? SessionTimes.endsAt(session.detachedAtMillis(), session.expirySeconds())
                : SessionTimes.willDueAt(session.detachedAtMillis(), will.delaySeconds(), session.expirySeconds());
        return new Found(
                id,
                prefix,
                owes || session.isAttached() || session.isInboundOpen(),
                session.isAttached() ? Long.MAX_VALUE : due);
    }
}
