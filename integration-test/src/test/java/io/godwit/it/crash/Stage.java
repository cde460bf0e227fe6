package io.godwit.it.crash;

/** Where a run stands. Written by the run's thread, read by all actors. */
final class Stage {
    enum Phase {
        /** Sessions are opened and subscriptions made. */
        SETUP,
        /** Load. */
        LOAD,
        /** Nothing new is published; all that is owed is fetched. */
        DRAIN,
        STOP
    }

    private volatile Phase phase = Phase.SETUP;
    private volatile boolean takeovers;

    Phase phase() {
        return phase;
    }

    void enter(Phase next) {
        phase = next;
    }

    boolean stopped() {
        return phase == Phase.STOP;
    }

    /** Whether the clients made for it are to take their sessions over from themselves now. */
    boolean takeovers() {
        return takeovers;
    }

    void takeovers(boolean now) {
        takeovers = now;
    }
}
