package io.godwit.mqtt.session.outbound;

/** A period in which a client reads more slowly than messages arrive for it. Confined to the loop of its session. */
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
     * @param isStuck whether the client's socket accepts nothing now
     * @return whether the period goes on
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

    /** Messages dropped during the period. */
    long droppedMessages() {
        return dropped;
    }
}
