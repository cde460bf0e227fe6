package io.godwit.inbox.queue;

import io.godwit.inbox.expiry.TimeIndex;
import io.godwit.inbox.protocol.InboxId;
import io.godwit.kv.client.RangeException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the leader of a range must look at later. At the start of the leadership it walks all session records once:
 * those left attached or owing something are loaded, the others noted with the time when they are due; from then on
 * once an hour, to note what comes due in the next two. Owned by the range leader.
 */
final class Agenda {
    private static final Logger LOG = LoggerFactory.getLogger(Agenda.class);
    private static final long RESCAN_MILLIS = 3_600_000;
    private static final long HORIZON_MILLIS = 2 * RESCAN_MILLIS;
    private static final long RETRY_MILLIS = 5_000;
    private static final int PAGE = 256;

    private final InboxLeader leader;
    private final Lifecycle lifecycle;
    private final TimeIndex<InboxId> times;
    private long timerAtMillis = Long.MAX_VALUE;
    /** Of the timer that is to ring; earlier ones that are set still do nothing. */
    private long timer;

    Agenda(InboxLeader leader, Lifecycle lifecycle) {
        this.leader = leader;
        this.lifecycle = lifecycle;
        this.times = new TimeIndex<>(leader.nowMillis() + HORIZON_MILLIS);
    }

    void start() {
        scan(leader.context().bounds().start(), leader.storedInboxes().beginWalk(), true);
        leader.context().schedule(RESCAN_MILLIS, this::rescan);
    }

    /** Looks at the inbox when {@code atMillis} has come. */
    void remind(InboxId id, long atMillis) {
        times.add(atMillis, id);
        arm();
    }

    /** Loads the inbox again after a while: what it was to become could not be written. */
    void lookAgain(InboxId id, long delayMillis) {
        remind(id, leader.nowMillis() + delayMillis);
    }

    private void arm() {
        long first = times.firstMillis();
        if (first < timerAtMillis) {
            timerAtMillis = first;
            long own = ++timer;
            leader.context().schedule(Math.max(0, first - leader.nowMillis()), () -> ring(own));
        }
    }

    /** Sets the next timer in any case: by the clock that the entries have, this one may ring too early. */
    private void ring(long own) {
        if (own != timer) {
            return;
        }
        timerAtMillis = Long.MAX_VALUE;
        times.drainDue(leader.nowMillis(), id -> look(id, () -> {}));
        arm();
    }

    private void rescan() {
        times.extendTo(leader.nowMillis() + HORIZON_MILLIS);
        scan(leader.context().bounds().start(), leader.storedInboxes().beginWalk(), false);
        leader.context().schedule(RESCAN_MILLIS, this::rescan);
    }

    private void scan(byte[] from, StoredInboxes.Part.Walk walk, boolean recovering) {
        if (leader.isSettling()) {
            return; // the next leader begins again
        }
        byte[] end = leader.context().bounds().end();
        leader.context().read(reader -> SessionScan.page(reader, from, end, PAGE), (page, failure) -> {
            if (leader.isSettling()) {
                return;
            }
            if (page == null) {
                LOG.error("session records not readable, trying again in {} ms", RETRY_MILLIS, failure);
                leader.context().schedule(RETRY_MILLIS, () -> scan(from, walk, recovering));
            } else {
                new PageWork(page, walk, recovering).begin();
            }
        });
    }

    private void look(InboxId id, Runnable then) {
        leader.states().whenReady(id, InboxKeys.prefix(id.tenant(), id.clientId()), new InboxState.Request() {
            @Override
            public void run(InboxState state) {
                lifecycle.checkTimes(state);
                then.run();
            }

            @Override
            public void fail(RangeException cause) {
                // not readable: logged there; it is looked at again when somebody asks for it
                then.run();
            }
        });
    }

    /** One page of a scan; the next is read when all of this one has been loaded, so that they do not pile up. */
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
                    leader.records().found(found.id());
                }
                if (recovering && found.needsCare()) {
                    open++;
                    look(found.id(), this::done);
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
                leader.records().walked();
            }
        }
    }
}
