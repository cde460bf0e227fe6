package io.godwit.mqtt.top;

import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.message.Message;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;

/**
 * Samples of one event loop's messages, for this minute and the last. A message that is not sampled costs a countdown.
 * The first {@link #EXACT} of a minute are all sampled, so that a quiet node reports exactly; then one in
 * {@link #ONE_OF}, at unpredictable distances, and each sample stands for the messages before it. Confined to the loop.
 */
public final class LoopTraffic {
    /** Keys of each sketch: a count is too high by at most one part in this many of the total. */
    static final int KEYS = 512;

    static final int EXACT = 1_000;
    static final int ONE_OF = 64;
    private static final long MINUTE_MILLIS = 60_000;

    // indexes of the sums that each entry of a sketch has besides its count
    private static final int MESSAGES_IN = 0;
    private static final int MESSAGES_OUT = 1;
    private static final int BYTES_IN = 2;
    private static final int BYTES_OUT = 3;
    private static final int SUMS = 4;

    /** Padding of two cache lines before and after the countdowns, which the loop writes for each message. */
    private static final int SPACING = 32;

    private static final int IN = SPACING;
    private static final int OUT = SPACING + 1;

    private final int[] until = new int[2 * SPACING + 2];
    private final int[] distance = {1, 1};
    private final LongSupplier wallMillis;
    private Minute now = new Minute();
    private Minute before = new Minute();

    private static final class Minute {
        private long number = Long.MIN_VALUE;
        private final int[] samples = new int[2];
        private final Map<TrafficKind, SpaceSaving<TrafficKey>> sketches = new EnumMap<>(TrafficKind.class);

        Minute() {
            for (TrafficKind kind : TrafficKind.values()) {
                sketches.put(kind, new SpaceSaving<>(KEYS, SUMS));
            }
        }

        void begin(long minute) {
            number = minute;
            samples[0] = 0;
            samples[1] = 0;
            sketches.values().forEach(SpaceSaving::clear);
        }

        SpaceSaving<TrafficKey> of(TrafficKind kind) {
            SpaceSaving<TrafficKey> sketch = sketches.get(kind);
            if (sketch == null) {
                throw new IllegalStateException("no sketch of " + kind);
            }
            return sketch;
        }
    }

    LoopTraffic(LongSupplier wallMillis) {
        this.wallMillis = wallMillis;
        until[IN] = 1;
        until[OUT] = 1;
    }

    /** A client has just published the message. */
    public void received(ClientInfo client, Message message) {
        if (--until[IN] <= 0) {
            sample(client, message, 0, message.receivedAtMillis());
        }
    }

    /** A copy was handed to a client's connection. */
    public void sent(ClientInfo client, Message message) {
        if (--until[OUT] <= 0) {
            sample(client, message, 1, wallMillis.getAsLong());
        }
    }

    private void sample(ClientInfo client, Message message, int direction, long nowMillis) {
        turn(nowMillis);
        long messages = distance[direction];
        long bytes = messages * message.payload().length;
        String tenant = client.tenant().value();
        TrafficKey key = new TrafficKey(tenant, client.clientId().value());
        count(TrafficKind.CLIENTS_BY_MESSAGES, key, messages, direction, messages, bytes);
        count(TrafficKind.CLIENTS_BY_BYTES, key, bytes, direction, messages, bytes);
        if (direction == 0) {
            count(TrafficKind.TOPICS, new TrafficKey(tenant, message.topic()), messages, direction, messages, bytes);
        }
        int next = now.samples[direction]++ < EXACT
                ? 1
                : 1 + ThreadLocalRandom.current().nextInt(2 * ONE_OF - 1);
        distance[direction] = next;
        until[IN + direction] = next;
    }

    private void count(TrafficKind kind, TrafficKey key, long weight, int direction, long messages, long bytes) {
        SpaceSaving.Counter<TrafficKey> counter = now.of(kind).add(key, weight);
        counter.add(MESSAGES_IN + direction, messages);
        counter.add(BYTES_IN + direction, bytes);
    }

    /** Starts a new minute if one has begun. */
    private void turn(long nowMillis) {
        long minute = Math.floorDiv(nowMillis, MINUTE_MILLIS);
        if (minute == now.number) {
            return;
        }
        Minute last = now;
        now = before;
        before = last;
        now.begin(minute);
        if (last.number != minute - 1) {
            last.begin(minute - 1);
        }
    }

    /** Counts of the last minute: this minute so far, and the missing part estimated from the last one. */
    List<TrafficCount> counts(TrafficKind kind) {
        long nowMillis = wallMillis.getAsLong();
        turn(nowMillis);
        long intoMinute = Math.floorMod(nowMillis, MINUTE_MILLIS);
        double part = 1 - (double) intoMinute / MINUTE_MILLIS;
        Map<TrafficKey, TrafficCount> all = new HashMap<>();
        before.of(kind).counters().forEach(each -> all.put(each.key(), count(each, part)));
        now.of(kind).counters().forEach(each -> all.merge(each.key(), count(each, 1), TrafficCount::plus));
        return new ArrayList<>(all.values());
    }

    private static TrafficCount count(SpaceSaving.Counter<TrafficKey> counter, double part) {
        return new TrafficCount(
                counter.key(),
                Math.round(part * counter.count()),
                Math.round(part * counter.error()),
                Math.round(part * counter.sum(MESSAGES_IN)),
                Math.round(part * counter.sum(MESSAGES_OUT)),
                Math.round(part * counter.sum(BYTES_IN)),
                Math.round(part * counter.sum(BYTES_OUT)));
    }
}
