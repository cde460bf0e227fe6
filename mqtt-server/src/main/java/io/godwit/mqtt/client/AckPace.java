package io.godwit.mqtt.client;

/**
 * How long a client takes to answer messages of QoS 1 and 2 for good, from their arrival at the broker or, if that was
 * later, from the client's. Of one message at a time.
 *
 * @param averageMillis of those it has answered, the later ones counting more; 0 before the first
 * @param worstMillis in the last five to ten minutes
 * @param pendingMillis how long the one that is timed now has waited; 0 when none is
 */
public record AckPace(long averageMillis, long worstMillis, long pendingMillis) {
    /** By which the slowest is found. */
    public long slowness() {
        return Math.max(averageMillis, pendingMillis);
    }
}
