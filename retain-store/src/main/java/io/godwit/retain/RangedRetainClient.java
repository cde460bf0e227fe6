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
 * Reads and writes retained messages through the ranges of the retain store. A match visits the ranges in key order.
 * The cursor of a page is the key at which the next page begins, so it stays valid after topics were set or cleared and
 * after ranges were split or merged.
 */
final class RangedRetainClient implements RetainClient {
    private static final Logger LOG = LoggerFactory.getLogger(RangedRetainClient.class);

    /**
     * How long a delivery token is kept after its last repeat. No sender repeats a message after a longer absence. The
     * inbox store uses the same period.
     */
    private static final long KEEP_MILLIS = 7L * 24 * 3600 * 1000;

    private final RangeClient ranges;
    private final Patience patience;
    private final RetainReports reports;
    private final LongSupplier wallClockMillis;
    private final RetainCounters counters;
    /**
     * Origin of the tokens under which this node sets messages again after a node was lost. It cannot equal a session's
     * origin, which has no slash before the client id.
     */
    private final String repeatOrigin = "/" + UUID.randomUUID();

    private final AtomicLong repeats = new AtomicLong();

    RangedRetainClient(
            RangeClient ranges,
            Patience patience,
            RetainReports reports,
            LongSupplier wallClockMillis,
            RetainCounters counters) {
        this.ranges = ranges;
        this.patience = patience;
        this.reports = reports;
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
                reports.retained(tenant, message);
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
     * QoS 1 and 2: if the leader's node is lost, the message is sent again, before later ones of this node for the
     * topic. QoS 0: the message is sent once.
     */
    private CompletableFuture<byte[]> write(Message message, byte[] key, byte[] mutation, Deadline deadline) {
        boolean isClearing = RetainMutation.isClearing(message);
        if (message.qos() == Qos.AT_MOST_ONCE) {
            return isClearing ? ranges.relieve(key, mutation, deadline) : ranges.mutate(key, mutation, deadline);
        }
        return isClearing ? ranges.relieveAgain(key, mutation, deadline) : ranges.mutateAgain(key, mutation, deadline);
    }

    /**
     * The node that was asked is lost. It may have set the message or not, and others may have set the topic since. So
     * this sets the message under a token, and only if no newer message is there. If there is a newer one, by the
     * clocks of two nodes, this fails: a message that was not set must not be acknowledged.
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

    /** Sets {@code message} under a token; completes with the outcome. */
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
                recorded(tenant, message, first, lost, done);
            } else { // the token makes a repeat harmless
                ranges.relieve(key, mutation, deadline)
                        .whenComplete((reply, failure) -> recorded(tenant, message, reply, failure, done));
            }
        });
        return done;
    }

    private void recorded(
            TenantId tenant,
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
            } else if (outcome == RetainMutation.Outcome.DONE) {
                reports.retained(tenant, message);
            }
            done.complete(outcome);
        } catch (RuntimeException e) {
            done.completeExceptionally(e); // the caller must not hang on an unreadable reply
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
        if (Arrays.compareUnsigned(from, interval.end()) >= 0) { // the last step of a walk may jump beyond the end
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
        return cursor(Arrays.copyOf(key, key.length + 1)); // the lowest key above it
    }

    private static String cursor(byte[] key) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(key);
    }

    /** One page being collected: asks this range and the next ones until a message is found or no range is left. */
    private final class Match {
        private final TenantId tenant;
        private final TopicFilter filter;
        private final KeyFilter interval;
        private final int maxMessages;
        private final int maxBytes;
        private final Deadline deadline;
        /** Where a search began; null for a match. */
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
                    ask(from); // the range was split meanwhile
                    return;
                }
                if (failure != null) {
                    failed(from, failure);
                    return;
                }
                try {
                    onAnswer(RetainQuery.Answer.decode(answer), nextRange);
                } catch (RuntimeException e) {
                    page.completeExceptionally(e); // the waiting session must not hang on an unreadable answer
                }
            });
        }

        private void failed(byte[] from, Throwable failure) {
            if (searchedFrom != null && !Arrays.equals(from, searchedFrom)) {
                page.complete(new Page(List.of(), cursor(from)));
                return;
            }
            if (searchedFrom == null) { // a search has a deadline chosen by an operator, so it is not counted
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
