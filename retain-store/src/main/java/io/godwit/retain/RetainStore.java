package io.godwit.retain;

import io.godwit.kv.client.Deadline;
import io.godwit.kv.client.RangeClient;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.coprocessor.RangeCoprocessor;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.event.EventListener;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.topic.TopicFilter;
import io.godwit.retain.client.RetainClient;
import io.godwit.retain.topic.RetainCoprocessor;
import io.godwit.retain.topic.RetainCounters;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The retained messages of all tenants, one per topic.
 *
 * <p>Life cycle: base-kv opens its retain store with {@link #coprocessorFactory}; then {@link #start} takes that
 * store's client. {@link #client} may be handed out before; its futures fail with {@code CLOSED} before the start and
 * after the close.
 */
public final class RetainStore implements AutoCloseable {
    private final Supplier<RangeClient> ranges;
    private final LongSupplier wallClockMillis;
    private final EventListener events;
    private final RetainCounters counters;
    private final Patience patience;
    private final RetainReports reports;
    private final RetainClient client = new Client();
    private volatile @Nullable RetainClient started;

    /**
     * @param ranges the client of the retain store, asked for once by {@link #start}
     * @param wallClockMillis milliseconds since the epoch; decides what has expired
     */
    public RetainStore(
            RetainConfig config,
            Supplier<RangeClient> ranges,
            LongSupplier wallClockMillis,
            EventListener events,
            MeterRegistry meters) {
        this.ranges = ranges;
        this.wallClockMillis = wallClockMillis;
        this.events = events;
        this.counters = new RetainCounters(meters);
        this.patience = new Patience(config.timeout(), events, meters);
        this.reports = new RetainReports(events, meters);
    }

    /** Makes the state machine of each range of the retain store. */
    public Supplier<RangeCoprocessor> coprocessorFactory() {
        return () -> new RetainCoprocessor(counters, events);
    }

    public void start() {
        started = new RangedRetainClient(ranges.get(), patience, reports, wallClockMillis, counters);
    }

    /** Refuses all later calls. Does not close the store below. */
    @Override
    public void close() {
        started = null;
    }

    /** Number of retained messages of a tenant in the ranges that this node leads. Any thread; does not block. */
    public long messages(TenantId tenant) {
        return counters.messages(tenant);
    }

    /**
     * Payload bytes of the retained messages of a tenant in the ranges that this node leads. Any thread; does not
     * block.
     */
    public long payloadBytes(TenantId tenant) {
        return counters.payloadBytes(tenant);
    }

    /**
     * Payload bytes of the retained message of a topic; -1 if there is none, or if this node has no replica of its
     * range. Any thread; does not block.
     */
    public long payloadBytes(TenantId tenant, String topic) {
        return counters.payloadBytes(tenant, topic);
    }

    public RetainClient client() {
        return client;
    }

    private final class Client implements RetainClient {
        @Override
        public CompletableFuture<Void> set(TenantId tenant, Message message) {
            RetainClient to = started;
            return to == null ? closed() : to.set(tenant, message);
        }

        @Override
        public CompletableFuture<Void> setRecorded(
                TenantId tenant, Message message, String origin, long number, long decidedAtMillis) {
            RetainClient to = started;
            return to == null ? closed() : to.setRecorded(tenant, message, origin, number, decidedAtMillis);
        }

        @Override
        public void finished(TenantId tenant, String topic, String origin, long number) {
            RetainClient to = started;
            if (to != null) {
                to.finished(tenant, topic, origin, number);
            }
        }

        @Override
        public CompletableFuture<Page> match(
                TenantId tenant, TopicFilter filter, @Nullable String cursor, int maxMessages, int maxBytes) {
            RetainClient to = started;
            return to == null ? closed() : to.match(tenant, filter, cursor, maxMessages, maxBytes);
        }

        @Override
        public CompletableFuture<Page> search(
                TenantId tenant,
                TopicFilter filter,
                @Nullable String cursor,
                int maxMessages,
                int maxBytes,
                Deadline deadline) {
            RetainClient to = started;
            return to == null ? closed() : to.search(tenant, filter, cursor, maxMessages, maxBytes, deadline);
        }

        @Override
        public String cursorBehind(TenantId tenant, String topic) {
            return RangedRetainClient.cursorOf(tenant, topic);
        }

        private <T> CompletableFuture<T> closed() {
            return CompletableFuture.failedFuture(
                    new RangeException(RangeException.Cause.CLOSED, "the retain-store is not started"));
        }
    }
}
