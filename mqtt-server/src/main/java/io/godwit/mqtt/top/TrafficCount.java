package io.godwit.mqtt.top;

/**
 * What a client or topic had in the last minute, estimated from samples.
 *
 * @param count messages or bytes, as was asked; too high by at most {@code error}
 * @param messagesIn and the others: what was seen of it, not more than there was; of a topic only what came in
 */
public record TrafficCount(
        TrafficKey key, long count, long error, long messagesIn, long messagesOut, long bytesIn, long bytesOut) {

    TrafficCount plus(TrafficCount other) {
        return new TrafficCount(
                key,
                count + other.count,
                error + other.error,
                messagesIn + other.messagesIn,
                messagesOut + other.messagesOut,
                bytesIn + other.bytesIn,
                bytesOut + other.bytesOut);
    }
}
