package io.godwit.broker.records;

import io.godwit.dist.record.RecordStore;
import io.godwit.dist.record.RecordStore.Change;
import io.godwit.dist.record.StoredRecord;
import io.godwit.kv.client.Deadline;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes bans and tokens an hour after their end, from when on they have no effect. It waits that long because clocks
 * differ: a record should have ended for all nodes. One node does this, the first of the serving ones; if two consider
 * themselves first, it does no harm. Has a thread, which looks once a minute. Started and closed by the thread that
 * wires the broker.
 */
public final class EndedRecords implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(EndedRecords.class);
    static final long AFTER_MILLIS = TimeUnit.HOURS.toMillis(1);
    private static final long LOOK_SECONDS = 60;
    private static final long PATIENCE_MILLIS = 20_000;
    /** Bound of removals per look and kind. */
    static final int MOST = 200;

    private final RecordStore records;
    private final OperatorBans bans;
    private final OperatorTokens tokens;
    private final BooleanSupplier isFirst;
    private final LongSupplier nowMillis;
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread made = new Thread(task, "ended-records");
        made.setDaemon(true);
        return made;
    });

    /** @param isFirst whether this node removes records; called on the thread */
    public EndedRecords(
            RecordStore records,
            OperatorBans bans,
            OperatorTokens tokens,
            BooleanSupplier isFirst,
            LongSupplier nowMillis) {
        this.records = records;
        this.bans = bans;
        this.tokens = tokens;
        this.isFirst = isFirst;
        this.nowMillis = nowMillis;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // runs until the thread is shut down
    public void start() {
        thread.scheduleWithFixedDelay(
                () -> {
                    try {
                        look();
                    } catch (RuntimeException | Error e) { // outermost frame: must not end the schedule
                        LOG.error("ended records not removed", e);
                    }
                },
                LOOK_SECONDS,
                LOOK_SECONDS,
                TimeUnit.SECONDS);
    }

    /** Begins to remove due records. */
    void look() {
        if (!isFirst.getAsBoolean()) {
            return;
        }
        long before = nowMillis.getAsLong() - AFTER_MILLIS;
        remove(OperatorBans.KIND, bans.endedBefore(before));
        remove(OperatorTokens.KIND, tokens.endedBefore(before));
    }

    private void remove(String kind, List<String> names) {
        names.stream().limit(MOST).forEach(name -> {
            StoredRecord seen = records.index().get(kind, name);
            if (seen == null) {
                return;
            }
            records.change(
                            kind,
                            name,
                            present -> present != null && present.revision() == seen.revision()
                                    ? Change.DELETE
                                    : Change.KEEP, // replaced by a new record
                            Deadline.afterMillis(PATIENCE_MILLIS))
                    .whenComplete((done, failure) -> {
                        if (failure == null) {
                            LOG.info("removed an ended record kind={} name={}", kind, name);
                        } else {
                            LOG.debug("not removed yet kind={} name={} cause={}", kind, name, failure.toString());
                        }
                    });
        });
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
