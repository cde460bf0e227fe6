package io.godwit.mqtt.transport.packing;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides which thread runs each loop. It decides every tenth of a second.
 *
 * <p>A thread with hardly a pause sends half of its guests home at once. When for half a second two threads could be
 * merged so that some pause remained, one becomes the guest of the other: of the first thread if it fits there, else of
 * the busiest with capacity. After a thread was full, no thread gets guests for a while, so that loads near the
 * threshold do not oscillate. While a move is under way nothing is decided. If a loop does not arrive, because a task
 * blocks a thread, all loops are called home and stay there for a minute. Confined to one thread.
 */
final class LoopPacking {
    private static final Logger LOG = LoggerFactory.getLogger(LoopPacking.class);

    /** Busy share of the time above which a thread gives guests back. */
    static final double FULL = 0.9;

    /** Busy share of the time up to which a thread may take a guest, as the sum of both before. */
    static final double ROOM = 0.8;

    /** Most guests of one thread: each costs it a check in every round. */
    static final int MAX_GUESTS = 7;

    /** Decisions in a row that must have found capacity. */
    static final int QUIET_LOOKS = 5;

    /** Decisions after a thread was full during which no thread gets a guest. */
    static final int HOLD_LOOKS = 30;

    /** Decisions to wait for a move under way. */
    static final int MAX_LOOKS_UNDER_WAY = 100;

    /** Decisions after a failed move during which no thread gets a guest. */
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

    /** A loop and its new host; the loop itself to go home. */
    record Move(int loop, int host) {}

    /** Where the loops run, and the load of their home threads since the last decision. */
    interface Load {
        /** Whether another loop's thread runs this one now. */
        boolean isGuest(int loop);

        /** The busy share of the time of this loop's thread, guests included. Called for loops at home only. */
        double busy(int loop);
    }

    boolean isGuest(int loop) {
        return hosts[loop] != loop;
    }

    /** The moves to make now; the next call assumes that they were made. */
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
     * The next loop to move and its host; null when no thread has capacity. Loops without guests go first, and of those
     * the least busy.
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

    /** The first thread if it has capacity, else the busiest that has; -1 for none. */
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

    /** Moves the loop; if it has guests, sends them home first, and later calls place them one by one. */
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
