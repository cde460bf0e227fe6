package io.godwit.retain.topic;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.concurrent.atomic.LongAdder;

/** What the ranges of this node's retain store count together. */
public final class RetainCounters {
    /** Topics with a retained message, expired ones included until they are removed. */
    final LongAdder retained = new LongAdder();

    /** Of the same messages. */
    final LongAdder payloadBytes = new LongAdder();

    final LongAdder expired = new LongAdder();

    public RetainCounters(MeterRegistry meters) {
        Gauge.builder("godwit.retain.messages", retained, LongAdder::doubleValue)
                .description("topics with a retained message")
                .register(meters);
        Gauge.builder("godwit.retain.payload.bytes", payloadBytes, LongAdder::doubleValue)
                .description("bytes of the payloads of retained messages")
                .register(meters);
        FunctionCounter.builder("godwit.retain.expired", expired, LongAdder::doubleValue)
                .description("retained messages removed because their expiry interval had passed")
                .register(meters);
    }
}
