package io.godwit.it.kv.history;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Looks for an order of steps in which one register, empty at the beginning, explains all that was seen (Wing and Gong
 * 1993, with the memory of Lowe 2017).
 *
 * <p>Requests and replies stand in a list in the order of time. A step whose request stands before every reply may be
 * the next one: when the register fits, its request and reply are taken out of the list, and the search goes on from
 * the front. When it comes to a reply, that step has found no place before its end, so the last one taken is put back
 * and the search goes on behind it. A set of steps taken, together with the value they leave, is tried once: what can
 * follow depends on nothing else. Used once.
 */
final class OrderSearch {
    enum Result {
        ORDERED,
        NONE,
        /** Given up for lack of time. */
        UNDECIDED
    }

    /** How many turns between two looks at the clock. */
    private static final int TURNS = 1 << 12;

    /** A request or a reply in the list. */
    private static final class Event {
        final int step;
        final boolean isReply;
        Event before = this;
        Event after = this;
        /** Of a request. */
        Event reply = this;

        Event(int step, boolean isReply) {
            this.step = step;
            this.isReply = isReply;
        }

        void takeOut() {
            before.after = after;
            after.before = before;
        }

        void putBack() {
            before.after = this;
            after.before = this;
        }
    }

    /**
     * The steps taken, and the value they leave. Nearly all steps before the first one not taken are long past, so only
     * those after it are told one by one.
     */
    private record Tried(int firstLeft, List<Long> takenBehind, int value) {}

    private record Taken(Event request, int valueBefore) {}

    private static final int EMPTY = 0;
    private static final int NOT = -1;

    private final int[] sees;
    private final int[] leaves;
    private final Event head = new Event(NOT, false);
    private final BitSet taken = new BitSet();
    private final Set<Tried> tried = new HashSet<>();
    private final Deque<Taken> path = new ArrayDeque<>();

    private OrderSearch(List<Step> steps) {
        List<Step> inOrder = new ArrayList<>(steps);
        inOrder.sort(Comparator.comparingLong(Step::invokedNanos));
        int count = inOrder.size();
        sees = new int[count];
        leaves = new int[count];
        Map<String, Integer> numbers = new HashMap<>();
        for (int i = 0; i < count; i++) {
            Step step = inOrder.get(i);
            sees[i] = !step.seesAny() ? NOT : number(numbers, step.sees());
            leaves[i] = step.leaves() == null ? NOT : number(numbers, step.leaves());
        }
        link(inOrder);
    }

    private static int number(Map<String, Integer> numbers, @Nullable String value) {
        return value == null ? EMPTY : numbers.computeIfAbsent(value, each -> numbers.size() + 1);
    }

    /**
     * Where a reply and a request have the same time, the request stands first: they overlap then, which forbids less.
     */
    private void link(List<Step> steps) {
        List<Event> events = new ArrayList<>(2 * steps.size());
        for (int i = 0; i < steps.size(); i++) {
            Event request = new Event(i, false);
            request.reply = new Event(i, true);
            events.add(request);
            events.add(request.reply);
        }
        events.sort(Comparator.comparingLong((Event event) -> event.isReply
                        ? steps.get(event.step).returnedNanos()
                        : steps.get(event.step).invokedNanos())
                .thenComparing(event -> event.isReply));
        Event last = head;
        for (Event event : events) {
            event.before = last;
            last.after = event;
            last = event;
        }
        last.after = head;
        head.before = last;
    }

    static Result find(List<Step> steps, long giveUpNanos) {
        return new OrderSearch(steps).find(giveUpNanos);
    }

    private Result find(long giveUpNanos) {
        int value = EMPTY;
        Event event = head.after;
        for (long turn = 1; event != head; turn++) {
            if (turn % TURNS == 0 && System.nanoTime() - giveUpNanos > 0) {
                return Result.UNDECIDED;
            }
            if (event.isReply) {
                Taken last = path.pollLast();
                if (last == null) {
                    return Result.NONE;
                }
                value = last.valueBefore();
                event = last.request();
                taken.clear(event.step);
                event.reply.putBack();
                event.putBack();
                event = event.after;
            } else if (fits(event.step, value) && isNew(event.step, value)) {
                taken.set(event.step);
                path.addLast(new Taken(event, value));
                value = after(event.step, value);
                event.takeOut();
                event.reply.takeOut();
                event = head.after;
            } else {
                event = event.after;
            }
        }
        return Result.ORDERED;
    }

    private boolean fits(int step, int value) {
        return sees[step] == NOT || sees[step] == value;
    }

    private int after(int step, int value) {
        return leaves[step] == NOT ? value : leaves[step];
    }

    private boolean isNew(int step, int value) {
        taken.set(step);
        int firstLeft = taken.nextClearBit(0);
        Long[] behind = Arrays.stream(taken.get(firstLeft, Math.max(firstLeft, taken.length()))
                        .toLongArray())
                .boxed()
                .toArray(Long[]::new);
        taken.clear(step);
        return tried.add(new Tried(firstLeft, List.of(behind), after(step, value)));
    }
}
