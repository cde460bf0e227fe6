package io.godwit.mqtt.top;

/**
 * Traffic of a client or topic in the last minute, estimated from samples.
 *
 * @param count messages or bytes, as requested; too high by at most {@code error}
 * @param messagesIn a lower bound of the true number, like the three after it; a topic has only inbound values
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
