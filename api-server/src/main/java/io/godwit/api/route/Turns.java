package io.godwit.api.route;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;

/**
 * Lets each caller have {@link #MOST} searches under way, from their begin until their answers are written, and until
 * the nodes are done with them if that is later. Nodes take a few at a time, of all callers together, and one caller
 * must leave some of them to others. {@link #MOST_WAITING} more of each wait for their turn, as those of a page that
 * asks for all that it shows. Confined to the event loop.
 */
final class Turns {
    /** Less than {@code MAX_QUESTIONS} of what is asked. */
    static final int MOST = 3;
    /** So few that each has its turn before the time of its connection is over. */
    static final int MOST_WAITING = 6;

    private final Map<String, Caller> callers = new HashMap<>();

    /** Has an entry while it has a turn, or waits for one. */
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
     * One search. Whoever asked may go while nodes search: the turn goes on until they are done, since it is they who
     * must not be asked too much at a time.
     */
    final class Turn {
        private final String name;
        private final Runnable search;
        private State state = State.NEW;
        /** Nodes search. */
        private boolean isHeld;
        /** {@link #end} was called meanwhile. */
        private boolean isOver;

        private Turn(String name, Runnable search) {
            this.name = name;
            this.search = search;
        }

        /** Begins now or later. False when too many wait: it never begins then. */
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

        /** Nodes are about to search. False when the turn has ended before: they must not. */
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
         * It is answered, or whoever asked for it has gone; while it is held, it ends with {@link #release}. Further
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
     * @param caller whose turn it is
     * @param search begins it; does not throw
     */
    Turn of(String caller, Runnable search) {
        return new Turn(caller, search);
    }

    int callers() {
        return callers.size();
    }
}
