package io.godwit.mqtt.transport.loop;

/** A connection in the sweep. */
public interface TickListener {
    void tickIndex(int index);

    /**
     * Checks its time-outs.
     *
     * @return the first tick at which something may be due again; call {@link LoopContext#lookSoon} when that
     *     becomes earlier
     */
    int onTick(int tick);

    /** The server drains: closes once requests under way are answered. */
    void shutDown();

    /** Closes at once, after a last packet to the client; requests under way are not answered. */
    void end();

    /** Closes its socket at once. */
    void cut();
}
