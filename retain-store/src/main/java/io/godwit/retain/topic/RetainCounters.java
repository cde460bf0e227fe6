package io.godwit.retain.topic;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.BaseUnits;
import java.util.concurrent.atomic.LongAdder;

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

    /** Retained messages that came too late: a newer one was there. */
    public final LongAdder superseded = new LongAdder();

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
