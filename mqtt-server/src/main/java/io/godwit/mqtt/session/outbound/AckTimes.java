package io.godwit.mqtt.session.outbound;

import io.godwit.mqtt.client.AckPace;
import org.jspecify.annotations.Nullable;

/**
 * Measures how long one client takes to answer messages. Times one message at a time: so every client is measured,
 * whatever others do, and an untimed message costs one comparison when it is sent and one when it is answered. Confined
 * to the loop of its session.
 */
final class AckTimes {
    /** A worst time counts for one to two windows of this length. */
    static final long WINDOW_MILLIS = 300_000;

    /** Each sample contributes one part in this many to the average. */
    private static final int ONE_OF = 8;

    /** The packet id of the message being timed; 0 for none. */
    private int timedId;

    private long sinceMillis;
    /** The average times {@link #ONE_OF}, so that small times are not lost; -1 before the first. */
    private long average = -1;

    private long windowMillis;
    private long worstInWindow;
    private long worstBefore;

    /** @param arrivedMillis when the message or, if later, the client arrived */
    void sent(int packetId, long arrivedMillis) {
        if (timedId == 0) {
            timedId = packetId;
            sinceMillis = arrivedMillis;
        }
    }

    boolean isTimed(int packetId) {
        return packetId == timedId;
    }

    /** The client has answered the message being timed. */
    void answered(long nowMillis) {
        long took = Math.max(0, nowMillis - sinceMillis);
        timedId = 0;
        average = average < 0 ? took * ONE_OF : average + took - average / ONE_OF;
        turn(nowMillis);
        worstInWindow = Math.max(worstInWindow, took);
    }

    private void turn(long nowMillis) {
        long age = nowMillis - windowMillis;
        if (age >= WINDOW_MILLIS || age < 0) {
            worstBefore = age >= 0 && age < 2 * WINDOW_MILLIS ? worstInWindow : 0;
            worstInWindow = 0;
            windowMillis = nowMillis;
        }
    }

    /** Null before the first message was timed. */
    @Nullable
    AckPace pace(long nowMillis) {
        if (average < 0 && timedId == 0) {
            return null;
        }
        turn(nowMillis);
        long pending = timedId == 0 ? 0 : Math.max(0, nowMillis - sinceMillis);
        long worst = Math.max(Math.max(worstInWindow, worstBefore), pending);
        return new AckPace(Math.max(0, average) / ONE_OF, worst, pending);
    }
}
