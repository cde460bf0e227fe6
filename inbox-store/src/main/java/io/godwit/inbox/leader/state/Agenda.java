package io.godwit.inbox.leader.state;

import io.godwit.inbox.expiry.TimeIndex;
import io.godwit.inbox.format.SessionScan;
import io.godwit.inbox.leader.delivery.Settling;
import io.godwit.inbox.local.StoredInboxes;
import io.godwit.inbox.protocol.InboxId;
import io.godwit.inbox.report.RecordCount;
import io.godwit.kv.coprocessor.LeaderContext;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The leader's timetable for the inboxes of its range. At the start of the leadership it walks all session records
 * once: it loads inboxes that are stored as attached or owe something, and notes when the others are due. After that it
 * walks them once an hour, and notes what is due within the next two hours. Owned by the range leader.
 */
public final class Agenda {
    private static final Logger LOG = LoggerFactory.getLogger(Agenda.class);
    private static final long RESCAN_MILLIS = 3_600_000;
    private static final long HORIZON_MILLIS = 2 * RESCAN_MILLIS;
    private static final long RETRY_MILLIS = 5_000;
    private static final int PAGE = 256;

    private final LeaderContext context;
    private final Settling settling;
    private final RecordCount.Part recordCount;
    private final StoredInboxes.Part storedInboxes;
    private final Look look;
    private final TimeIndex<InboxId> times;
    private long timerAtMillis = Long.MAX_VALUE;
    /** Identifies the timer that counts; earlier timers that still fire do nothing. */
    private long timer;

    /** Loads an inbox and carries out what is due there. */
    public interface Look {
        /** @param then run when that is done, or the inbox could not be read */
        void at(InboxId id, Runnable then);
    }

    public Agenda(
            LeaderContext context,
            Settling settling,
            RecordCount.Part recordCount,
            StoredInboxes.Part storedInboxes,
            Look look) {
        this.context = context;
        this.settling = settling;
        this.recordCount = recordCount;
        this.storedInboxes = storedInboxes;
        this.look = look;
        this.times = new TimeIndex<>(context.nowMillis() + HORIZON_MILLIS);
    }

    public void start() {
        scan(context.bounds().start(), storedInboxes.beginWalk(), true);
        context.schedule(RESCAN_MILLIS, this::rescan);
    }

    /** Checks the inbox at {@code atMillis}. */
    public void remind(InboxId id, long atMillis) {
        times.add(atMillis, id);
        arm();
    }

    /** Loads the inbox again after a delay, because a change of it could not be written. */
    public void lookAgain(InboxId id, long delayMillis) {
        remind(id, context.nowMillis() + delayMillis);
    }

    private void arm() {
        long first = times.firstMillis();
        if (first < timerAtMillis) {
            timerAtMillis = first;
            long own = ++timer;
            context.schedule(Math.max(0, first - context.nowMillis()), () -> ring(own));
        }
    }

    /** Always arms the next timer: by the clock of the entries, this timer may fire too early. */
    private void ring(long own) {
        if (own != timer) {
            return;
        }
        timerAtMillis = Long.MAX_VALUE;
        times.drainDue(context.nowMillis(), id -> look.at(id, () -> {}));
        arm();
    }

    private void rescan() {
        times.extendTo(context.nowMillis() + HORIZON_MILLIS);
        scan(context.bounds().start(), storedInboxes.beginWalk(), false);
        context.schedule(RESCAN_MILLIS, this::rescan);
    }

    private void scan(byte[] from, StoredInboxes.Part.Walk walk, boolean recovering) {
        if (settling.isSettling()) {
            return; // the next leader walks from the start
        }
        byte[] end = context.bounds().end();
        context.read(reader -> SessionScan.page(reader, from, end, PAGE), (page, failure) -> {
            if (settling.isSettling()) {
                return;
            }
            if (page == null) {
                LOG.error("session records not readable, trying again in {} ms", RETRY_MILLIS, failure);
                context.schedule(RETRY_MILLIS, () -> scan(from, walk, recovering));
            } else {
                new PageWork(page, walk, recovering).begin();
            }
        });
    }

    /**
     * One page of a scan. The next page is read when all inboxes of this one are loaded, so that loads do not pile up.
     */
    private final class PageWork {
        private final byte @Nullable [] next;
        private final SessionScan.Page page;
        private final StoredInboxes.Part.Walk walk;
        private final boolean recovering;
        private int open = 1;

        PageWork(SessionScan.Page page, StoredInboxes.Part.Walk walk, boolean recovering) {
            this.page = page;
            this.walk = walk;
            this.next = page.next();
            this.recovering = recovering;
        }

        void begin() {
            for (SessionScan.Found found : page.found()) {
                walk.found(found.prefix());
                if (recovering) {
                    recordCount.found(found.id());
                }
                if (recovering && found.needsCare()) {
                    open++;
                    look.at(found.id(), this::done);
                } else {
                    remind(found.id(), found.dueMillis());
                }
            }
            done();
        }

        private void done() {
            byte[] from = next;
            if (--open > 0) {
                return;
            }
            if (from != null) {
                scan(from, walk, recovering);
                return;
            }
            walk.ended();
            if (recovering) {
                recordCount.walked();
            }
        }
    }
}
