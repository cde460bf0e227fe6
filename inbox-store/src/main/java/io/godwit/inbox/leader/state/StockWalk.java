package io.godwit.inbox.leader.state;

import io.godwit.inbox.format.InboxKeys;
import io.godwit.inbox.format.SessionRecord;
import io.godwit.inbox.format.StoredSession;
import io.godwit.inbox.ledger.Ledger;
import io.godwit.inbox.protocol.InboxId;
import io.godwit.inbox.report.Stock;
import io.godwit.kv.coprocessor.LeaderContext;
import io.godwit.kv.coprocessor.RangeCursor;
import io.godwit.kv.coprocessor.RangeReader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts the contents of a range when a leadership begins: reads all queues once, a page at a time with a pause after
 * each, so that clients do not notice. Owned by the range leader; pages are read on an I/O thread.
 */
public final class StockWalk {
    private static final Logger LOG = LoggerFactory.getLogger(StockWalk.class);
    /** Limits the walk to about 5,000 sessions or 20 MiB per second. */
    static final long PAUSE_MILLIS = 50;

    private static final int PAGE_SESSIONS = 256;
    private static final int PAGE_BYTES = 1 << 20;
    private static final long RETRY_MILLIS = 5_000;

    private final LeaderContext context;
    private final Stock.Part stock;

    public StockWalk(LeaderContext context, Stock.Part stock) {
        this.context = context;
        this.stock = stock;
    }

    public void start() {
        walk(context.bounds().start());
    }

    private void walk(byte[] from) {
        byte[] end = context.bounds().end();
        context.read(reader -> page(reader, from, end), (page, failure) -> {
            if (page == null) {
                LOG.error("queues not countable, trying again in {} ms", RETRY_MILLIS, failure);
                context.schedule(RETRY_MILLIS, () -> walk(from));
                return;
            }
            stock.walked(page);
            byte[] next = page.next();
            if (next != null) {
                context.schedule(PAUSE_MILLIS, () -> walk(next));
            }
        });
    }

    private static Stock.Page page(RangeReader reader, byte[] start, byte @Nullable [] end) {
        List<Stock.Found> found = new ArrayList<>();
        long bytes = 0;
        try (RangeCursor cursor = reader.cursor(start, end)) {
            for (cursor.seekToFirst(); cursor.isValid(); ) {
                byte[] key = cursor.key();
                InboxId id = InboxKeys.inboxOf(key);
                byte[] prefix = InboxKeys.prefix(id.tenant(), id.clientId());
                if (found.size() == PAGE_SESSIONS || bytes >= PAGE_BYTES) {
                    return new Stock.Page(found, prefix);
                }
                if (Arrays.equals(key, InboxKeys.key(prefix, InboxKeys.SESSION))) {
                    StoredSession session =
                            SessionRecord.decode(id, cursor.value()).session();
                    if (session != null) {
                        Ledger queue = InboxLoader.queueOf(reader, id, prefix, session);
                        bytes += queue.liveBytes();
                        found.add(new Stock.Found(id, queue.live(), queue.liveBytes(), queue.apartToRemember()));
                    }
                }
                cursor.seek(InboxKeys.key(prefix, InboxKeys.END));
            }
        }
        return new Stock.Page(found, null);
    }
}
