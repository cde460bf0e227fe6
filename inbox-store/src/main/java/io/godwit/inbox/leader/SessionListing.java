package io.godwit.inbox.leader;

import io.godwit.inbox.client.catalog.StoredSessionInfo;
import io.godwit.inbox.expiry.SessionTimes;
import io.godwit.inbox.format.FilterTable;
import io.godwit.inbox.format.InboxKeys;
import io.godwit.inbox.format.SessionRecord;
import io.godwit.inbox.format.StoredSession;
import io.godwit.inbox.format.StoredWill;
import io.godwit.inbox.format.query.SessionQuery;
import io.godwit.inbox.leader.state.InboxLoader;
import io.godwit.inbox.ledger.Ledger;
import io.godwit.inbox.protocol.InboxId;
import io.godwit.inbox.report.InboxReports;
import io.godwit.kv.coprocessor.RangeCursor;
import io.godwit.kv.coprocessor.RangeReader;
import io.godwit.plugin.message.Message;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Answers a {@link SessionQuery} from the stored data of a range. Seeks from one session record to the next, and reads
 * the runs of the queues of matching sessions. Ends early when it has visited many inboxes or read much, and returns
 * where to continue. On an I/O thread.
 */
final class SessionListing {
    /** Most inboxes visited. A visit is a step of the cursor: tens of microseconds when nothing is cached. */
    private static final int MOST_LOOKS = 4_096;

    private static final int MOST_SESSIONS = 500;
    /** Limit on payload bytes in the runs that are read; many small messages take as long as a few large ones. */
    private static final long MOST_QUEUE_BYTES = 8 << 20;

    private static final int MOST_MESSAGES = 100_000;
    /** Limit on the texts of an answer, because clients choose their lengths. */
    private static final long MOST_CHARS = 1 << 19;

    /** Limit on the characters of all client ids compared; each costs a step of the search. */
    private static final long MOST_ID_CHARS = 16 << 20;

    private final RangeReader reader;
    private final SessionQuery query;
    private final List<StoredSessionInfo> found = new ArrayList<>();
    private long queueBytes;
    private long messages;
    private long chars;

    private SessionListing(RangeReader reader, SessionQuery query) {
        this.reader = reader;
        this.query = query;
    }

    static SessionQuery.Answer answer(RangeReader reader, SessionQuery query) {
        return new SessionListing(reader, query).walk();
    }

    private SessionQuery.Answer walk() {
        int most = Math.min(query.maxSessions(), MOST_SESSIONS);
        int looks = 0;
        long idChars = 0;
        try (RangeCursor cursor = reader.cursor(query.from(), query.end())) {
            for (cursor.seekToFirst(); cursor.isValid(); looks++) {
                byte[] key = cursor.key();
                InboxId id = InboxKeys.inboxOf(key);
                byte[] prefix = InboxKeys.prefix(id.tenant(), id.clientId());
                if (looks == MOST_LOOKS
                        || idChars >= MOST_ID_CHARS
                        || found.size() == most
                        || queueBytes >= MOST_QUEUE_BYTES
                        || messages >= MOST_MESSAGES
                        || chars >= MOST_CHARS) {
                    return new SessionQuery.Answer(found, prefix);
                }
                idChars += id.clientId().value().length();
                if (Arrays.equals(key, InboxKeys.key(prefix, InboxKeys.SESSION))) {
                    look(id, prefix, cursor.value());
                }
                cursor.seek(InboxKeys.key(prefix, InboxKeys.END));
            }
        }
        return new SessionQuery.Answer(found, null);
    }

    private void look(InboxId id, byte[] prefix, byte[] record) {
        if (InboxReports.isBrokersOwn(id) != query.criteria().areKept() || !query.matches(id.tenant(), id.clientId())) {
            return;
        }
        StoredSession session = SessionRecord.decode(id, record).session();
        if (session == null || !isWanted(session)) {
            return;
        }
        if (query.criteria().areKept()) {
            addKept(session);
            return;
        }
        Ledger queue = InboxLoader.queueOf(reader, id, prefix, session);
        queueBytes += queue.liveBytes();
        messages += queue.live();
        if (queue.live() >= query.criteria().leastMessages()) {
            chars += StoredSessionInfo.chars(session.client());
            found.add(new StoredSessionInfo(
                    session.client(),
                    session.isAttached(),
                    session.expirySeconds(),
                    session.isAttached() ? 0 : session.detachedAtMillis(),
                    endsAt(session),
                    session.will() != null,
                    subscriptions(prefix),
                    queue.live(),
                    queue.liveBytes(),
                    queue.sentLive()));
        }
    }

    /** Adds a session of the broker's own, only while its will waits. */
    private void addKept(StoredSession session) {
        StoredWill will = session.will();
        if (will == null || session.isAttached()) {
            return;
        }
        Message message = will.message();
        long dueAt = SessionTimes.willDueAt(session.detachedAtMillis(), will.delaySeconds(), session.expirySeconds());
        chars += StoredSessionInfo.chars(session.client()) + message.topic().length();
        found.add(new StoredSessionInfo(
                session.client(),
                false,
                session.expirySeconds(),
                session.detachedAtMillis(),
                endsAt(session),
                true,
                0,
                0,
                0,
                0,
                new StoredSessionInfo.KeptWill(
                        message.topic(), message.qos().value(), message.payload().length, dueAt)));
    }

    private boolean isWanted(StoredSession session) {
        return lasts(session, query.nowMillis())
                && !(session.isAttached() && query.criteria().onlyDetached());
    }

    /**
     * Whether the session is a stored one: a session kept only for its will ends with its connection and does not
     * count.
     */
    static boolean lasts(StoredSession session, long nowMillis) {
        return session.expirySeconds() > 0 && endsAt(session) > nowMillis;
    }

    private static long endsAt(StoredSession session) {
        return session.isAttached()
                ? Long.MAX_VALUE
                : SessionTimes.endsAt(session.detachedAtMillis(), session.expirySeconds());
    }

    private int subscriptions(byte[] prefix) {
        int count = 0;
        byte @Nullable [] end = InboxKeys.key(prefix, InboxKeys.FILTERS + 1);
        try (RangeCursor cursor = reader.cursor(InboxKeys.key(prefix, InboxKeys.FILTERS), end)) {
            for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
                count += FilterTable.decode(cursor.value()).size();
            }
        }
        return count;
    }
}
