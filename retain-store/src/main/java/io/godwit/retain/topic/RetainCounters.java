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

/** Counters shared by all ranges of this node's retain store. */
public final class RetainCounters {
    /** Topics with a retained message, including expired ones that are not removed yet. */
    final LongAdder retained = new LongAdder();

    /** Payload bytes of the messages that {@link #retained} counts. */
    final LongAdder payloadBytes = new LongAdder();

    final LongAdder expired = new LongAdder();

    /**
     * Delivery tokens that are remembered: the retained message of the publish is set here, and the publish is not yet
     * on record as distributed.
     */
    final LongAdder marks = new LongAdder();

    /**
     * Delivery tokens that were removed before they were reported as finished: too old, or beyond the number that a
     * range keeps.
     */
    final LongAdder marksGivenUp = new LongAdder();

    /** Holdings of the ranges that this node leads; the key is the range's leader object. */
    final Map<Object, Supplier<? extends TenantHoldings>> led = new ConcurrentHashMap<>();

    /** Holdings of all ranges that this node has a replica of. */
    final Set<Supplier<? extends TenantHoldings>> present = ConcurrentHashMap.newKeySet();

    /** Messages that were not retained because a newer one was there. */
    public final LongAdder superseded = new LongAdder();

    /** Topics of a tenant with a retained message in the ranges that this node leads. Any thread. */
    public long messages(TenantId tenant) {
        long all = 0;
        for (Supplier<? extends TenantHoldings> each : led.values()) {
            all += each.get().held(tenant).messages();
        }
        return all;
    }

    /** Payload bytes of a tenant's retained messages in the ranges that this node leads. Any thread. */
    public long payloadBytes(TenantId tenant) {
        long all = 0;
        for (Supplier<? extends TenantHoldings> each : led.values()) {
            all += each.get().held(tenant).payloadBytes();
        }
        return all;
    }

    /** Payload bytes of one retained message; -1 if this node's replicas have none. Any thread. */
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
