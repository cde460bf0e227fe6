package io.godwit.it.kv.history;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Judges a history: is there an order of its operations, each at one moment between its request and its reply, in which
 * one register a key answers what was answered? Registers do not know of each other, so each key is judged by itself.
 *
 * <ol>
 *   <li>{@link Settled} takes what is in doubt out of the history: since no value is written twice, a write whose reply
 *       is unknown either was seen by somebody, and then took effect before that, or may as well never have taken
 *       effect.
 *   <li>{@link OrderSearch} looks for the order (Wing and Gong's search, with Lowe's memory of what has been tried).
 *   <li>Where there is none, {@link Core} leaves away operations as long as what remains still has none: what is left
 *       is the proof.
 * </ol>
 */
public final class Linearizability {
    private static final int MOST_SHOWN = 5;

    /**
     * A key without an order.
     *
     * @param core some operations that have none, none of which can be left away; with whoever wrote, or saw, what they
     *     tell of
     */
    public record Violation(String key, String reason, List<Operation> core) {
        @Override
        public String toString() {
            StringBuilder text =
                    new StringBuilder("key ").append(key).append(": ").append(reason);
            core.forEach(operation -> text.append('\n').append(operation));
            return text.toString();
        }
    }

    /**
     * What was found.
     *
     * @param undecided keys for which the time was not enough; to be treated as a failure, since nothing is known of
     *     them
     */
    public record Verdict(int keys, int operations, List<Violation> violations, List<String> undecided) {
        public boolean isLinearizable() {
            return violations.isEmpty() && undecided.isEmpty();
        }

        @Override
        public String toString() {
            StringBuilder text = new StringBuilder()
                    .append(operations)
                    .append(" operations on ")
                    .append(keys)
                    .append(" keys: ")
                    .append(isLinearizable() ? "linearizable" : "not shown to be linearizable");
            violations.stream()
                    .limit(MOST_SHOWN)
                    .forEach(violation -> text.append('\n').append(violation));
            if (violations.size() > MOST_SHOWN) {
                text.append("\nand ").append(violations.size() - MOST_SHOWN).append(" more keys");
            }
            if (!undecided.isEmpty()) {
                text.append("\nnot decided in time: ").append(undecided);
            }
            return text.toString();
        }
    }

    private Linearizability() {}

    /**
     * Registers are empty at the beginning.
     *
     * @param patience for all keys together
     * @throws IllegalArgumentException if a value is written twice: then nothing could be said
     */
    public static Verdict check(List<Operation> history, Duration patience) {
        long giveUpNanos = System.nanoTime() + patience.toNanos();
        Map<String, List<Operation>> keys = new LinkedHashMap<>();
        history.forEach(operation -> keys.computeIfAbsent(operation.request().key(), key -> new ArrayList<>())
                .add(operation));
        List<Violation> violations = new ArrayList<>();
        List<String> undecided = new ArrayList<>();
        keys.forEach((key, operations) -> {
            List<Step> steps = Settled.steps(operations);
            switch (OrderSearch.find(steps, giveUpNanos)) {
                case ORDERED -> {}
                case NONE -> violations.add(violation(key, operations, steps, giveUpNanos));
                case UNDECIDED -> undecided.add(key);
            }
        });
        return new Verdict(keys.size(), history.size(), violations, undecided);
    }

    private static Violation violation(String key, List<Operation> operations, List<Step> steps, long giveUpNanos) {
        List<Step> core = Core.of(steps, giveUpNanos);
        List<Operation> shown = new ArrayList<>();
        core.forEach(step -> shown.add(step.operation()));
        core.forEach(step -> addIfMissing(shown, writerOf(step, operations)));
        core.forEach(step -> addWitnesses(shown, step, steps));
        shown.sort((a, b) -> Integer.compare(a.number(), b.number()));
        return new Violation(key, reason(core, operations), shown);
    }

    /**
     * Who saw what a step in doubt wrote; where that is one in doubt itself, who saw what that one wrote, and so on.
     */
    private static void addWitnesses(List<Operation> shown, Step step, List<Step> steps) {
        Operation witness = step.witness();
        if (witness != null && !shown.contains(witness)) {
            shown.add(witness);
            steps.stream()
                    .filter(each -> each.operation().equals(witness))
                    .forEach(each -> addWitnesses(shown, each, steps));
        }
    }

    private static void addIfMissing(List<Operation> shown, @Nullable Operation operation) {
        if (operation != null && !shown.contains(operation)) {
            shown.add(operation);
        }
    }

    private static String reason(List<Step> core, List<Operation> operations) {
        for (Step step : core) {
            String seen = step.sees();
            if (!step.seesAny() || seen == null) {
                continue;
            }
            Operation writer = writerOf(step, operations);
            if (writer == null) {
                return seen + " was seen, which nobody wrote";
            }
            if (writer.reply().kind() == Reply.Kind.FAIL || writer.reply().kind() == Reply.Kind.MISMATCH) {
                return seen + " was seen, though its writer was told that it is not written";
            }
            if (writer.invokedNanos() > step.returnedNanos()) {
                return seen + " was seen before anybody had asked for it to be written";
            }
        }
        return "no order of these operations explains what was answered";
    }

    private static @Nullable Operation writerOf(Step step, List<Operation> operations) {
        String seen = step.sees();
        if (!step.seesAny() || seen == null) {
            return null;
        }
        return operations.stream()
                .filter(operation -> seen.equals(operation.request().value()))
                .findFirst()
                .orElse(null);
    }
}
