package io.godwit.retain.topic;

import io.godwit.plugin.client.TenantId;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.BaseUnits;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

/** What the ranges of this node's retain store count together. */
public final class RetainCounters {
    /** Topics with a retained message, expired ones included until they are removed. */
    final LongAdder retained = new LongAdder();

    /** Of the same messages. */
    final LongAdder payloadBytes = new LongAdder();

    final LongAdder expired = new LongAdder();

    /**
     * Tokens remembered: a publish that is on record somewhere has got its retained message here, and is not through
     * yet.
     */
    final LongAdder marks = new LongAdder();

    /**
     * Tokens forgotten though nobody had said that they are finished: beyond the number that a range remembers, or too
     * old.
     */
    final LongAdder marksGivenUp = new LongAdder();

    /** Of the ranges that this node leads, by their leader. */
    final Map<Object, Supplier<? extends TenantHoldings>> led = new ConcurrentHashMap<>();

    /** Of all ranges that this node has a replica of. */
    final Set<Supplier<? extends TenantHoldings>> present = ConcurrentHashMap.newKeySet();

    /** Retained messages that came too late: a newer one was there. */
    public final LongAdder superseded = new LongAdder();

    /** Topics of a tenant with a retained message, in the ranges that this node leads. Any thread. */
    public long messages(TenantId tenant) {
        long all = 0;
        for (Supplier<? extends TenantHoldings> each : led.values()) {
            all += each.get().held(tenant).messages();
        }
        return all;
    }

    /** Bytes of the payloads of these. Any thread. */
    public long payloadBytes(TenantId tenant) {
        long all = 0;
        for (Supplier<? extends TenantHoldings> each : led.values()) {
            all += each.get().held(tenant).payloadBytes();
        }
        return all;
    }

    /** Bytes of the payload of one; -1 when there is none in the replicas of this node. Any thread. */
    public long payloadBytes(TenantId tenant, String topic) {
        byte[] key = RetainKeys.key(tenant, topic);
        long bytes = -1;
        for (Supplier<? extends TenantHoldings> each : present) {
            bytes = Math.max(bytes, each.get().payloadBytes(key));
        }
        return bytes;
    }

    public RetainCounters(MeterRegistry meters) {
        Gauge.builder("godwit.retain.messages", retained, LongAdder::doubleValue)
                .description("topics with a retained message")
                .register(meters);
        Gauge.builder("godwit.retain.payload.bytes", payloadBytes, LongAdder::doubleValue)
                .baseUnit(BaseUnits.BYTES)
                .description("bytes of the payloads of retained messages")
                .register(meters);
        Gauge.builder("godwit.retain.tokens", marks, LongAdder::doubleValue)
                .description("wills and QoS 2 messages whose retained message is set and whose distribution is not "
                        + "on record yet")
                .register(meters);
        FunctionCounter.builder("godwit.retain.tokens.given.up", marksGivenUp, LongAdder::doubleValue)
                .description(
                        "of those, forgotten for their age or number: a repeat would set the retained message again")
                .register(meters);
        FunctionCounter.builder("godwit.retain.superseded", superseded, LongAdder::doubleValue)
                .description("wills and repeated QoS 2 messages not retained, because a newer message of the topic was")
                .register(meters);
        FunctionCounter.builder("godwit.retain.expired", expired, LongAdder::doubleValue)
                .description("retained messages removed because their expiry interval had passed")
                .register(meters);
    }
}
