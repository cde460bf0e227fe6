package io.godwit.it.kv.history;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Makes of the operations on one key, some of which may or may not have taken effect, the steps that did.
 *
 * <p>A reply that is unknown leaves a write the choice of any later moment, or none, and a search through all those
 * choices would never end. But no value is written twice. So if anybody saw the value of such a write, it did take
 * effect, and not after the first who saw it had been answered. If nobody saw it, it can be left out: in an order that
 * holds it, whatever follows it up to the next write sees nothing, and so goes on to fit when it is gone. A
 * compare-and-set that is found to have set has itself seen the value it expected, so this is repeated until nothing
 * new is found.
 */
final class Settled {
    private Settled() {}

    /** @throws IllegalArgumentException if a value is written twice */
    static List<Step> steps(List<Operation> operations) {
        requireUnique(operations);
        List<Step> steps = new ArrayList<>();
        List<Operation> doubtful = new ArrayList<>();
        for (Operation operation : operations) {
            switch (operation.reply().kind()) {
                case OK -> steps.add(Step.writing(operation, operation.returnedNanos(), null));
                case VALUE, MISMATCH ->
                    steps.add(Step.observing(operation, operation.reply().value()));
                case FAIL -> {} // it never happened
                case UNKNOWN -> {
                    if (operation.request().kind() != Request.Kind.READ) {
                        doubtful.add(operation);
                    }
                }
            }
        }
        settle(doubtful, steps);
        return steps;
    }

    /** Who saw a value, and when that one had been answered at the latest. */
    private record Sight(Operation witness, long returnedNanos) {}

    private static void settle(List<Operation> doubtful, List<Step> steps) {
        Map<String, Operation> byValue = new HashMap<>();
        doubtful.forEach(operation -> byValue.put(operation.request().value(), operation));
        Map<String, Sight> sights = new HashMap<>();
        steps.forEach(step -> see(step, sights, byValue));
        sights.forEach((value, sight) -> {
            Operation writer = byValue.get(value);
            // not before it was asked for: the look that says so finds no place then
            long returnedNanos = Math.max(sight.returnedNanos(), writer.invokedNanos());
            steps.add(Step.writing(writer, returnedNanos, sight.witness()));
        });
    }

    /**
     * Follows a value back from one who saw it to its writer in doubt, and to what that one must have seen, and so on.
     */
    private static void see(Step step, Map<String, Sight> sights, Map<String, Operation> byValue) {
        boolean seesAny = step.seesAny();
        Operation witness = step.operation();
        @Nullable String value = step.sees();
        while (seesAny && value != null) {
            Operation writer = byValue.get(value);
            Sight earlier = sights.get(value);
            if (writer == null || earlier != null && earlier.returnedNanos() <= step.returnedNanos()) {
                return; // nothing new: whoever wrote it is known to have done so by then
            }
            sights.put(value, new Sight(witness, step.returnedNanos()));
            seesAny = writer.request().kind() == Request.Kind.CAS;
            witness = writer;
            value = writer.request().expected();
        }
    }

    private static void requireUnique(List<Operation> operations) {
        Map<String, Operation> writers = new HashMap<>();
        for (Operation operation : operations) {
            String value = operation.request().value();
            if (value == null) {
                continue;
            }
            Operation other = writers.put(value, operation);
            if (other != null) {
                throw new IllegalArgumentException("the same value is written by\n" + other + "\nand\n" + operation);
            }
        }
    }
}
