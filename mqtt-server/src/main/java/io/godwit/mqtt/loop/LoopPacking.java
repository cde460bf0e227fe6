package io.godwit.mqtt.loop;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides which loop is run by whose thread. Each look is of a tenth of a second.
 *
 * <p>A thread that had hardly a pause sends half of its guests home, at once. When for half a second there were two
 * threads whose work would leave one of them some pause, one becomes the guest of the other: of the first one if it
 * fits there, else of the busiest that has room. After a thread was full none is filled for a while, so that loads in
 * between do not swing. Nothing is decided while a loop is under way; when one does not arrive, which takes a thread
 * that is held up in a task, all are called home and stay there for a minute. Confined to one thread.
 */
final class LoopPacking {
    private static final Logger LOG = LoggerFactory.getLogger(LoopPacking.class);

    /** Share of the time without a pause above which a thread gives guests back. */
    static final double FULL = 0.9;

    /** Share of the time that a thread may be busy after it has taken in a guest, by what both were before. */
    static final double ROOM = 0.8;

    /** Guests of one thread: each costs it a look in every round. */
    static final int MAX_GUESTS = 7;

    /** Looks in a row in which there must have been room. */
    static final int QUIET_LOOKS = 5;

    /** Looks after a thread was full in which none is filled. */
    static final int HOLD_LOOKS = 30;

    /** Looks that a loop may be under way. */
    static final int MAX_LOOKS_UNDER_WAY = 100;

    /** Looks after a loop did not arrive in which no thread is filled. */
    static final int REST_LOOKS = 600;

    /** The host of each loop, itself when it is at home. */
    private final int[] hosts;

    private int quietLooks;
    private int holdLooks;
    private int looksUnderWay;

    LoopPacking(int loops) {
        hosts = new int[loops];
        for (int i = 0; i < loops; i++) {
            hosts[i] = i;
        }
    }

    /** A loop and who is to run it; itself to go home. */
    record Move(int loop, int host) {}

    /** How the loops are, and what their home threads did since the last look. */
    interface Load {
        /** Whether the thread of another loop runs this one now. */
        boolean isGuest(int loop);

        /**
         * The share of the time that the thread of this loop did not wait for something to do, with its guests. Asked
         * for loops at home only.
         */
        double busy(int loop);
    }

    boolean isGuest(int loop) {
        return hosts[loop] != loop;
    }

    /** What is to be done now; taken as done when asked again. */
    List<Move> decide(Load load) {
        if (isAnyUnderWay(load)) {
            looksUnderWay++;
            return looksUnderWay > MAX_LOOKS_UNDER_WAY ? callHome(load) : List.of();
        }
        looksUnderWay = 0;
        List<Move> moves = new ArrayList<>(0);
        for (int host = 0; host < hosts.length; host++) {
            if (isHost(host) && load.busy(host) > FULL) {
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

    private boolean isAnyUnderWay(Load load) {
        for (int loop = 0; loop < hosts.length; loop++) {
            if (load.isGuest(loop) != isGuest(loop)) {
                return true;
            }
        }
        return false;
    }

    private List<Move> callHome(Load load) {
        List<Move> moves = new ArrayList<>();
        for (int loop = 0; loop < hosts.length; loop++) {
            if (isGuest(loop) || load.isGuest(loop)) {
                hosts[loop] = loop;
                moves.add(new Move(loop, loop));
            }
        }
        looksUnderWay = 0;
        holdLooks = REST_LOOKS;
        LOG.warn("an event loop did not change its thread in time, so each keeps its own for a while moves={}", moves);
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

    /**
     * Who is to be taken in, and by whom; null when no thread has room for another. One without guests goes first, and
     * of those the least busy.
     */
    private @Nullable Move fill(Load load) {
        Move best = null;
        for (int mover = 1; mover < hosts.length; mover++) {
            if (isGuest(mover) || (best != null && !isBefore(mover, best.loop(), load))) {
                continue;
            }
            int host = hostFor(mover, load);
            if (host >= 0) {
                best = new Move(mover, host);
            }
        }
        return best;
    }

    private boolean isBefore(int mover, int other, Load load) {
        boolean hasGuests = guests(mover) > 0;
        boolean hasOtherGuests = guests(other) > 0;
        return hasGuests == hasOtherGuests ? load.busy(mover) < load.busy(other) : !hasGuests;
    }

    /** The first thread when there is room, else the busiest that has; -1 when none has. */
    private int hostFor(int mover, Load load) {
        if (fits(mover, 0, load)) {
            return 0;
        }
        int host = -1;
        for (int loop = 1; loop < hosts.length; loop++) {
            boolean isCandidate = loop != mover && !isGuest(loop) && fits(mover, loop, load);
            if (isCandidate && (host < 0 || load.busy(loop) > load.busy(host))) {
                host = loop;
            }
        }
        return host;
    }

    private boolean fits(int mover, int host, Load load) {
        return load.busy(host) + load.busy(mover) < ROOM && guests(host) + guests(mover) + 1 <= MAX_GUESTS;
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
