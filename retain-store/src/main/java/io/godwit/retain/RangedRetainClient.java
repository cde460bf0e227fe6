package io.godwit.retain;

import io.godwit.kv.client.Deadline;
import io.godwit.kv.client.RangeClient;
import io.godwit.kv.client.RangeException;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import io.godwit.retain.client.RetainClient;
import io.godwit.retain.topic.KeyFilter;
import io.godwit.retain.topic.RetainCounters;
import io.godwit.retain.topic.RetainKeys;
import io.godwit.retain.topic.RetainMutation;
import io.godwit.retain.topic.RetainQuery;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Retained messages through the ranges of the retain store. A match goes from range to range in key order; the cursor
 * of a page is the key at which to go on, so it means the same after topics were set or cleared, and after ranges were
 * split or merged.
 */
final class RangedRetainClient implements RetainClient {
    private static final Logger LOG = LoggerFactory.getLogger(RangedRetainClient.class);

    /**
     * How long a token is remembered at most after its last repeat; nobody is away for longer and then repeats. As in
     * the inbox store.
     */
    private static final long KEEP_MILLIS = 7L * 24 * 3600 * 1000;

    private final RangeClient ranges;
    private final Patience patience;
    private final LongSupplier wallClockMillis;
    private final RetainCounters counters;
    /** Names what is set again after its node was lost; no session has a slash before its client id. */
    private final String repeatOrigin = "/" + UUID.randomUUID();

    private final AtomicLong repeats = new AtomicLong();

    RangedRetainClient(RangeClient ranges, Patience patience, LongSupplier wallClockMillis, RetainCounters counters) {
        this.ranges = ranges;
        this.patience = patience;
        this.wallClockMillis = wallClockMillis;
        this.counters = counters;
    }

    @Override
    public CompletableFuture<Void> set(TenantId tenant, Message message) {
        byte[] key = RetainKeys.key(tenant, message.topic());
        byte[] mutation = RetainMutation.of(tenant, message);
        long begunAtMillis = wallClockMillis.getAsLong();
        CompletableFuture<Void> done = new CompletableFuture<>();
        Deadline deadline = patience.deadline();
        write(message, key, mutation, deadline).whenComplete((applied, failure) -> {
            if (failure == null) {
                done.complete(null);
            } else if (isLost(failure)) {
                setAgain(tenant, message, begunAtMillis, done);
            } else {
                patience.failed(deadline, message.topic(), failure);
                done.completeExceptionally(failure);
            }
        });
        return done;
    }

    /**
     * At QoS 1 and 2 it is set again in its place when the node that had it is lost: before what this node sets later.
     * A message of QoS 0 is not given twice.
     */
    private CompletableFuture<byte[]> write(Message message, byte[] key, byte[] mutation, Deadline deadline) {
        boolean isClearing = RetainMutation.isClearing(message);
        if (message.qos() == Qos.AT_MOST_ONCE) {
            return isClearing ? ranges.relieve(key, mutation, deadline) : ranges.mutate(key, mutation, deadline);
        }
        return isClearing ? ranges.relieveAgain(key, mutation, deadline) : ranges.mutateAgain(key, mutation, deadline);
    }

    /**
     * The node that had the message is lost: it may have set it or not, and others may have set the topic since. So it
     * is set under a token, and not over a newer message. When there is a newer one, by the clocks of two nodes, it
     * fails: nothing is acknowledged that was not set.
     */
    private void setAgain(TenantId tenant, Message message, long begunAtMillis, CompletableFuture<Void> done) {
        long number = repeats.incrementAndGet();
        record(tenant, message, repeatOrigin, number, begunAtMillis).whenComplete((outcome, failure) -> {
            if (failure != null) {
                done.completeExceptionally(failure);
            } else if (outcome == RetainMutation.Outcome.SUPERSEDED) {
                done.completeExceptionally(new RangeException(
                        RangeException.Cause.LOST, "lost with its node, and a newer one is retained"));
            } else {
                done.complete(null);
            }
            finished(tenant, message.topic(), repeatOrigin, number);
        });
    }

    private static boolean isLost(Throwable failure) {
        return failure instanceof RangeException cause && cause.reason() == RangeException.Cause.LOST;
    }

    @Override
    public CompletableFuture<Void> setRecorded(
            TenantId tenant, Message message, String origin, long number, long decidedAtMillis) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        record(tenant, message, origin, number, decidedAtMillis).whenComplete((outcome, failure) -> {
            if (failure == null) {
                done.complete(null);
            } else {
                done.completeExceptionally(failure);
            }
        });
        return done;
    }

    /** Completes with what has become of it. */
    private CompletableFuture<RetainMutation.Outcome> record(
            TenantId tenant, Message message, String origin, long number, long decidedAtMillis) {
        long nowMillis = wallClockMillis.getAsLong();
        byte[] key = RetainKeys.key(tenant, message.topic());
        byte[] mutation = RetainMutation.once(
                tenant, message, origin, number, decidedAtMillis, nowMillis, nowMillis + KEEP_MILLIS);
        CompletableFuture<RetainMutation.Outcome> done = new CompletableFuture<>();
        Deadline deadline = patience.deadline();
        done.whenComplete((outcome, failure) -> {
            if (failure != null) {
                patience.failed(deadline, message.topic(), failure);
            }
        });
        ranges.relieveAgain(key, mutation, deadline).whenComplete((first, lost) -> {
            if (lost == null || !isLost(lost)) {
                recorded(message, first, lost, done);
            } else { // by its token it is set once
                ranges.relieve(key, mutation, deadline)
                        .whenComplete((reply, failure) -> recorded(message, reply, failure, done));
            }
        });
        return done;
    }

    private void recorded(
            Message message,
            byte @Nullable [] reply,
            @Nullable Throwable failure,
            CompletableFuture<RetainMutation.Outcome> done) {
        if (reply == null) {
            done.completeExceptionally(failure == null ? new IllegalStateException("no reply") : failure);
            return;
        }
        try {
            RetainMutation.Outcome outcome = RetainMutation.outcome(reply);
            if (outcome == RetainMutation.Outcome.SUPERSEDED) {
                counters.superseded.increment();
                LOG.debug("message not retained, a newer one is topic={}", message.topic());
            }
            done.complete(outcome);
        } catch (RuntimeException e) {
            done.completeExceptionally(e); // whoever waits must not hang on a reply nobody can read
        }
    }

    @Override
    public void finished(TenantId tenant, String topic, String origin, long number) {
        byte[] key = RetainKeys.key(tenant, topic);
        byte[] mutation = RetainMutation.forget(tenant, topic, origin, number);
        ranges.relieve(key, mutation, patience.deadline()).whenComplete((applied, failure) -> {
            if (failure != null) {
                LOG.debug("token not forgotten, it leaves by age topic={} cause={}", topic, failure.toString());
            }
        });
    }

    @Override
    public CompletableFuture<Page> match(
            TenantId tenant, TopicFilter filter, @Nullable String cursor, int maxMessages, int maxBytes) {
        KeyFilter interval = new KeyFilter(tenant, filter);
        byte[] from = cursor == null ? interval.start() : Base64.getUrlDecoder().decode(cursor);
        CompletableFuture<Page> page = new CompletableFuture<>();
        new Match(tenant, filter, interval, maxMessages, maxBytes, patience.deadline(), null, page).ask(from);
        return page;
    }

    @Override
    public CompletableFuture<Page> search(
            TenantId tenant,
            TopicFilter filter,
            @Nullable String cursor,
            int maxMessages,
            int maxBytes,
            Deadline deadline) {
        KeyFilter interval = new KeyFilter(tenant, filter);
        byte[] from;
        try {
            from = cursor == null ? interval.start() : Base64.getUrlDecoder().decode(cursor);
        } catch (IllegalArgumentException e) {
            return CompletableFuture.failedFuture(new IllegalArgumentException("no cursor of retained messages", e));
        }
        if (Arrays.compareUnsigned(from, interval.start()) < 0) {
            return CompletableFuture.failedFuture(new IllegalArgumentException("a cursor of another list"));
        }
        if (Arrays.compareUnsigned(from, interval.end()) >= 0) { // a walk may end with a leap beyond the end
            return CompletableFuture.completedFuture(new Page(List.of(), null));
        }
        CompletableFuture<Page> page = new CompletableFuture<>();
        new Match(tenant, filter, interval, maxMessages, maxBytes, deadline, from, page).ask(from);
        return page;
    }

    @Override
    public String cursorBehind(TenantId tenant, String topic) {
        return cursorOf(tenant, topic);
    }

    static String cursorOf(TenantId tenant, String topic) {
        byte[] key = RetainKeys.key(tenant, topic);
        return cursor(Arrays.copyOf(key, key.length + 1)); // the least key above it
    }

    private static String cursor(byte[] key) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(key);
    }

    /** One page on its way: asks on, in this range and the next, until there is a message or nothing left. */
    private final class Match {
        private final TenantId tenant;
        private final TopicFilter filter;
        private final KeyFilter interval;
        private final int maxMessages;
        private final int maxBytes;
        private final Deadline deadline;
        /** Where a search began; null when it is none. */
        private final byte @Nullable [] searchedFrom;

        private final CompletableFuture<Page> page;

        Match(
                TenantId tenant,
                TopicFilter filter,
                KeyFilter interval,
                int maxMessages,
                int maxBytes,
                Deadline deadline,
                byte @Nullable [] searchedFrom,
                CompletableFuture<Page> page) {
            this.tenant = tenant;
            this.filter = filter;
            this.interval = interval;
            this.maxMessages = maxMessages;
            this.maxBytes = maxBytes;
            this.deadline = deadline;
            this.searchedFrom = searchedFrom;
            this.page = page;
        }

        void ask(byte[] from) {
            List<byte[]> starts = ranges.rangeKeys(from, interval.end());
            byte[] nextRange = starts.size() > 1 ? starts.get(1) : null;
            byte[] query =
                    new RetainQuery(tenant, filter, from, wallClockMillis.getAsLong(), maxMessages, maxBytes).encode();
            byte[] end = nextRange == null ? interval.end() : nextRange;
            ranges.query(from, end, query, deadline).whenComplete((answer, failure) -> {
                if (failure instanceof RangeException cause && cause.reason() == RangeException.Cause.MOVED) {
                    ask(from); // the range was cut meanwhile
                    return;
                }
                if (failure != null) {
                    failed(from, failure);
                    return;
                }
                try {
                    onAnswer(RetainQuery.Answer.decode(answer), nextRange);
                } catch (RuntimeException e) {
                    page.completeExceptionally(e); // the waiting session must not hang on an answer nobody can read
                }
            });
        }

        private void failed(byte[] from, Throwable failure) {
            if (searchedFrom != null && !Arrays.equals(from, searchedFrom)) {
                page.complete(new Page(List.of(), cursor(from)));
                return;
            }
            if (searchedFrom == null) { // operators choose how long they wait
                patience.failed(deadline, filter.text(), failure);
            }
            page.completeExceptionally(failure);
        }

        private void onAnswer(RetainQuery.Answer answer, byte @Nullable [] nextRange) {
            byte[] next = answer.next() != null ? answer.next() : nextRange;
            boolean isOver = searchedFrom != null && deadline.hasPassed(System.nanoTime());
            if (answer.messages().isEmpty() && next != null && !isOver) {
                ask(next);
                return;
            }
            page.complete(new Page(answer.messages(), next == null ? null : cursor(next)));
        }
    }
}
