package io.godwit.mqtt.transport.socket;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The times of one connection: when it was opened and last read, its keep-alive, and when its login ends. A tick is a
 * second of the loop's sweep ({@code ConnectionSweep}). Confined to the loop.
 */
final class Timeouts {
    /** After a close, the peer may be silent for so long before its socket is closed. */
    private static final int CLOSE_TICKS = 2;

    private int openedTick;
    private int lastReadTick;
    private int keepAliveSeconds;
    /** The tick at which the connection must end; the largest number for never. */
    private int endTick = Integer.MAX_VALUE;

    void opened(int tick) {
        openedTick = tick;
        lastReadTick = tick;
    }

    int ticksSinceOpened(int tick) {
        return tick - openedTick;
    }

    /** The client has sent something, or could not: its silence begins anew. */
    void read(int tick) {
        lastReadTick = tick;
    }

    /** For how many ticks the client has been silent. */
    int quietTicks(int tick) {
        return tick - lastReadTick;
    }

    /** @param seconds the value in force; 0 is off */
    void keepAlive(int seconds) {
        keepAliveSeconds = seconds;
    }

    int keepAliveSeconds() {
        return keepAliveSeconds;
    }

    /** Whether the client has been silent for longer than its keep-alive allows. */
    boolean isTooQuiet(int quietTicks) {
        return keepAliveSeconds > 0 && quietTicks > quietSecondsAllowed();
    }

    /** Whether the peer of a closed connection has been silent for too long. */
    static boolean isGone(int quietTicks) {
        return quietTicks > CLOSE_TICKS;
    }

    /**
     * Sets when the connection must end.
     *
     * @param time null for never
     * @return whether that is earlier than before
     */
    boolean endAfter(int tick, @Nullable Duration time) {
        int before = endTick;
        endTick = time == null ? Integer.MAX_VALUE : tickAfter(tick, Math.min(time.toSeconds(), Integer.MAX_VALUE));
        return endTick < before;
    }

    boolean isOver(int tick) {
        return tick >= endTick;
    }

    // ---- when to look next, if nothing more is read

    /** The tick at which CONNECT can be overdue. */
    int nextWhileOpening(Duration connectTimeout) {
        return tickAfter(openedTick, connectTimeout.toSeconds());
    }

    /** The tick at which the login or the keep-alive can have ended. */
    int nextWhileAccepted() {
        return Math.min(
                endTick, keepAliveSeconds > 0 ? tickAfter(lastReadTick, quietSecondsAllowed()) : Integer.MAX_VALUE);
    }

    /** The tick at which the peer can be gone. */
    int nextWhileClosing() {
        return tickAfter(lastReadTick, CLOSE_TICKS);
    }

    /** The first tick at which more than {@code seconds} have passed. */
    private static int tickAfter(int tick, long seconds) {
        return (int) Math.min(Integer.MAX_VALUE, tick + seconds + 1);
    }

    /** One and a half keep-alives. */
    private int quietSecondsAllowed() {
        return (3 * keepAliveSeconds + 1) / 2;
    }
}
