package io.godwit.dist.deliver;

import io.godwit.plugin.event.DropReason;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.Locale;
import java.util.concurrent.atomic.LongAdder;

/** Counters for publishes. All event loops count at once, so each is a {@link LongAdder}. */
public final class DistCounters {
    final LongAdder published = new LongAdder();
    final LongAdder matched = new LongAdder();
    final LongAdder noMatch = new LongAdder();
    /** Messages of the broker itself below $SYS. */
    final LongAdder own = new LongAdder();

    final LongAdder ownNoMatch = new LongAdder();
    final LongAdder refused = new LongAdder();
    final LongAdder dropped = new LongAdder();

    /** Measures one in {@link FanOut#TIMED_ONE_OF} messages of a publisher. */
    final Timer matchTime;

    public DistCounters(MeterRegistry meters) {
        matchTime = Timer.builder("godwit.dist.match")
                .description("time to find the receivers of a message, of one of 64 messages")
                .register(meters);
        register(meters, "godwit.dist.published", "messages given to be distributed", published);
        register(meters, "godwit.dist.matched", "copies handed to sessions", matched);
        register(meters, "godwit.dist.no.match", "messages that no subscription matched", noMatch);
        register(meters, "godwit.dist.published.own", "of those published, the broker's own below $SYS", own);
        register(meters, "godwit.dist.no.match.own", "of those not matched, the broker's own below $SYS", ownNoMatch);
        register(meters, "godwit.dist.refused", "messages that a store did not take", refused);
        register(
                meters,
                "godwit.dist.dropped",
                "copies of QoS 0 that a store did not take",
                dropped,
                "reason",
                DropReason.STORE_FAILED.name().toLowerCase(Locale.ROOT));
    }

    private static void register(
            MeterRegistry meters, String name, String description, LongAdder count, String... tags) {
        FunctionCounter.builder(name, count, LongAdder::doubleValue)
                .description(description)
                .tags(tags)
                .register(meters);
    }
}
