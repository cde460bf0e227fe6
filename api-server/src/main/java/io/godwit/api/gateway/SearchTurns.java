package io.godwit.api.gateway;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;

/**
 * Lets each caller have {@link #MOST} searches under way, from their start until their answers are written and the
 * nodes are done with them. Nodes take a few searches of all callers together, and one caller must leave some for
 * others. Up to {@link #MOST_WAITING} more wait for each caller, for pages that request many lists at once. Confined to
 * the event loop.
 */
final class SearchTurns {
    /** Less than {@code MAX_QUESTIONS} of the ports. */
    static final int MOST = 3;
    /** Few enough that each starts before its connection's deadline. */
    static final int MOST_WAITING = 6;

    private final Map<String, Caller> callers = new HashMap<>();

    /** Exists while the caller has a turn, or waits for one. */
    private static final class Caller {
        private int underWay;
        private final ArrayDeque<Turn> waiting = new ArrayDeque<>();
    }

    private enum State {
        NEW,
        WAITING,
        UNDER_WAY,
        ENDED
    }

    /**
     * One search. The caller may leave while nodes search: the turn lasts until they are done, since it protects the
     * nodes.
     */
    final class Turn {
        private final String name;
        private final Runnable search;
        private State state = State.NEW;
        /** Whether nodes are searching. */
        private boolean isHeld;
        /** Whether {@link #end} was called while they search. */
        private boolean isOver;

        private Turn(String name, Runnable search) {
            this.name = name;
            this.search = search;
        }

        /** Begins now or later. False when too many wait: then it never begins. */
        boolean begin() {
            Caller caller = callers.computeIfAbsent(name, first -> new Caller());
            if (caller.underWay < MOST) {
                go(caller);
                return true;
            }
            if (caller.waiting.size() >= MOST_WAITING) {
                state = State.ENDED;
                return false;
            }
            state = State.WAITING;
            caller.waiting.add(this);
            return true;
        }

        private void go(Caller caller) {
            state = State.UNDER_WAY;
            caller.underWay++;
            search.run();
        }

        /** Call before nodes search. False when the turn has ended: then they must not search. */
        boolean hold() {
            isHeld = state == State.UNDER_WAY;
            return isHeld;
        }

        /** The nodes are done, or their time is over. */
        void release() {
            isHeld = false;
            if (isOver) {
                end();
            }
        }

        /**
         * The search is answered, or its caller has left; while it is held, it ends with {@link #release}. Further
         * calls do nothing.
         */
        void end() {
            if (isHeld) {
                isOver = true;
                return;
            }
            State before = state;
            state = State.ENDED;
            Caller caller = callers.get(name);
            if (caller == null) {
                return;
            }
            if (before == State.WAITING) {
                caller.waiting.remove(this);
            } else if (before == State.UNDER_WAY) {
                caller.underWay--;
                Turn next = caller.waiting.poll();
                if (next != null) {
                    next.go(caller);
                } else if (caller.underWay == 0) {
                    callers.remove(name);
                }
            }
        }
    }

    /**
     * @param caller the owner of the turn
     * @param search begins it; does not throw
     */
    Turn of(String caller, Runnable search) {
        return new Turn(caller, search);
    }

    int callers() {
        return callers.size();
    }
}
