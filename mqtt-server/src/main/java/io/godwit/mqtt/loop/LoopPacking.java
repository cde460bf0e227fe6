package io.godwit.mqtt.loop;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decides which loop is run by whose thread. Each look is of a tenth of a second.
 *
 * <p>A thread that had hardly a pause sends half of its guests home, at once. When for half a second there were two threads whose work would
 * leave one of them some pause, one becomes the guest of the other. What counts for that is the time that a thread ran; the time that it was ready to run and
 * had no core counts for pauses only, since it says more of the machine than of the loops.
 *
 * <p>After a thread was too busy none is filled for a while, so that loads in between do not swing. Confined to one thread.
 */
final class LoopPacking {
    /** Running or ready to run, share of the time, above which a thread gives guests back. */
    static final double FULL = 0.92;

    /** Running, share of the time, that a thread may have after it has taken in a guest, by what both had before. */
    static final double ROOM = 0.75;

    /** Looks in a row in which there must have been room. */
    static final int QUIET_LOOKS = 5;

    /** Looks after a thread was full in which none is filled. */
    static final int HOLD_LOOKS = 100;

    /** The host of each loop, itself when it is at home. */
    private final int[] hosts;

    private int quietLooks;
    private int holdLooks;

    LoopPacking(int loops) {
        hosts = new int[loops];
        for (int i = 0; i < loops; i++) {
            hosts[i] = i;
        }
    }

    /** A loop and who is to run it; itself to go home. */
    record Move(int loop, int host) {}

    /** What the home threads of the loops did since the last look, as shares of that time. */
    interface Load {
        /** Of the time that the thread of this loop was running. */
        double running(int loop);

        /** Of the time that it was running or ready to run. */
        double busy(int loop);
    }

    boolean isGuest(int loop) {
        return hosts[loop] != loop;
    }

    /** What is to be done now; taken as done when asked again. */
    List<Move> decide(Load load) {
        List<Move> moves = new ArrayList<>(0);
        for (int host = 0; host < hosts.length; host++) {
            if (load.busy(host) > FULL && isHost(host)) {
                sendHalfHome(host, moves);
                holdLooks = HOLD_LOOKS;
            }
        }
        if (holdLooks > 0) {
            holdLooks--;
            quietLooks = 0;
            return moves;
        }
        Move fill = fill(load);
        quietLooks = fill == null ? 0 : quietLooks + 1;
        if (fill != null && quietLooks >= QUIET_LOOKS) {
            quietLooks = 0;
            moves.addAll(carryOut(fill));
        }
        return moves;
    }

    private boolean isHost(int loop) {
        return !isGuest(loop) && guests(loop) > 0;
    }

    private int guests(int host) {
        int guests = 0;
        for (int loop = 0; loop < hosts.length; loop++) {
            guests += loop != host && hosts[loop] == host ? 1 : 0;
        }
        return guests;
    }

    private void sendHalfHome(int host, List<Move> moves) {
        int leave = (guests(host) + 1) / 2;
        for (int loop = hosts.length - 1; loop >= 0 && leave > 0; loop--) {
            if (loop != host && hosts[loop] == host) {
                hosts[loop] = loop;
                moves.add(new Move(loop, loop));
                leave--;
            }
        }
    }

    /** The least busy thread, but the first one's, and the busiest one that has room for it; null when there is no such pair. */
    private @Nullable Move fill(Load load) {
        int mover = -1;
        for (int loop = 1; loop < hosts.length; loop++) {
            if (!isGuest(loop) && (mover < 0 || load.running(loop) < load.running(mover))) {
                mover = loop;
            }
        }
        if (mover < 0) {
            return null;
        }
        int host = -1;
        for (int loop = 0; loop < hosts.length; loop++) {
            boolean fits = load.running(loop) + load.running(mover) < ROOM && load.busy(loop) + load.busy(mover) < 1;
            if (loop != mover && !isGuest(loop) && fits && (host < 0 || load.running(loop) > load.running(host))) {
                host = loop;
            }
        }
        return host < 0 ? null : new Move(mover, host);
    }

    /** A host has its guests leave it first; they find a place one by one later. */
    private List<Move> carryOut(Move move) {
        List<Move> moves = new ArrayList<>();
        if (guests(move.loop()) == 0) {
            hosts[move.loop()] = move.host();
            moves.add(move);
            return moves;
        }
        for (int loop = 0; loop < hosts.length; loop++) {
            if (loop != move.loop() && hosts[loop] == move.loop()) {
                hosts[loop] = loop;
                moves.add(new Move(loop, loop));
            }
        }
        return moves;
    }
}
