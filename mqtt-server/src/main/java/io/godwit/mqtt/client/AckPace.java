package io.godwit.mqtt.client;

/**
 * How long a client takes to complete the exchange of QoS 1 and 2 messages, from the later of the message's and the
 * client's arrival at the broker. Only one message is timed at a time.
 *
 * @param averageMillis of completed exchanges, weighted towards later ones; 0 before the first
 * @param worstMillis in the last five to ten minutes
 * @param pendingMillis how long the message timed now has waited; 0 when none is timed
 */
public record AckPace(long averageMillis, long worstMillis, long pendingMillis) {
    /** The value that ranks clients by slowness. */
    public long slowness() {
        return Math.max(averageMillis, pendingMillis);
    }
}
