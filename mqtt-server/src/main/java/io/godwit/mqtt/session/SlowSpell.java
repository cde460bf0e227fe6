package io.godwit.mqtt.session;

/** A time in which a client reads more slowly than it is sent to. Confined to the loop of its session. */
final class SlowSpell {
    private int seconds;
    private long dropped;
    private boolean isDroppedLately;

    void dropped() {
        dropped++;
        isDroppedLately = true;
    }

    /**
     * A second has passed.
     *
     * @param isStuck whether the client's socket takes nothing now
     * @return whether the spell goes on
     */
    boolean goesOn(boolean isStuck) {
        seconds++;
        boolean goesOn = isStuck || isDroppedLately;
        isDroppedLately = false;
        return goesOn;
    }

    int seconds() {
        return seconds;
    }

    /** Messages that the client did not get. */
    long droppedMessages() {
        return dropped;
    }
}
