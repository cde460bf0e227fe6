package io.godwit.kv.simulation;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * The requests for each key and their answers. The value of a key is the list of the numbers appended to it, which are
 * unique and rise with the calls; one user appends to a key, and everybody reads it.
 *
 * <p>Checked with each answer, which for such lists is all that linearizability requires: a value begins with every
 * value that was returned to anybody before the call began; of any two values one begins with the other; and an
 * append's own number is the last in its answer. Also: numbers rise, so nothing overtakes and nothing is applied twice;
 * and a refused number is in no value.
 */
final class SimHistory {
    /** A key as users see it. */
    private static final class Key {
        /** The longest value returned to anybody. */
        String longest = "";

        final Set<Long> asked = new HashSet<>();
        final Set<Long> refused = new HashSet<>();
    }

    /** A call that is not answered. */
    static final class Call {
        private static final long READ = 0;

        private final String key;
        private final long number;
        /** The longest value returned to anybody when it began. */
        private final String before;

        private Call(String key, long number, String before) {
            this.key = key;
            this.number = number;
            this.before = before;
        }

        String key() {
            return key;
        }

        boolean isRead() {
            return number == READ;
        }

        @Override
        public String toString() {
            return isRead() ? key : key + "=" + number;
        }
    }

    private final Map<String, Key> keys = new TreeMap<>();
    private final Consumer<String> violations;

    SimHistory(Consumer<String> violations) {
        this.violations = violations;
    }

    Call read(String key) {
        return new Call(key, Call.READ, of(key).longest);
    }

    /** @param number above all numbers used for the key before */
    Call append(String key, long number) {
        of(key).asked.add(number);
        return new Call(key, number, of(key).longest);
    }

    /** The longest value of each key returned to anybody. */
    Map<String, String> known() {
        Map<String, String> values = new TreeMap<>();
        keys.forEach((name, key) -> values.put(name, key.longest));
        return values;
    }

    private Key of(String key) {
        return keys.computeIfAbsent(key, fresh -> new Key());
    }

    void answered(Call call, String value) {
        Key key = of(call.key);
        if (!value.startsWith(call.before)) {
            violations.accept(call + " got " + value + " and began after " + call.before + " was known");
        }
        if (!value.startsWith(key.longest) && !key.longest.startsWith(value)) {
            violations.accept(call + " got " + value + " beside " + key.longest);
        }
        List<Long> found = look(call.key, value);
        if (!call.isRead() && (found.isEmpty() || found.get(found.size() - 1) != call.number)) {
            violations.accept(call + " is not the last of its own answer " + value);
        }
        if (value.length() > key.longest.length()) {
            key.longest = value;
        }
    }

    /** The call was not applied and never will be. */
    void refused(Call call) {
        if (!call.isRead()) {
            of(call.key).refused.add(call.number);
            look(call.key, of(call.key).longest);
        }
    }

    /** The values of the keys when everything has come to rest. */
    void ended(Map<String, String> content) {
        keys.forEach((name, key) -> {
            String value = content.getOrDefault(name, "");
            if (!value.startsWith(key.longest)) {
                violations.accept(name + " ends with " + value + " after " + key.longest + " was known");
            }
            look(name, value);
        });
    }

    private List<Long> look(String name, String value) {
        List<Long> found = value.isEmpty()
                ? List.of()
                : Arrays.stream(value.split(",")).map(Long::valueOf).toList();
        for (int i = 1; i < found.size(); i++) {
            if (found.get(i - 1) >= found.get(i)) {
                violations.accept(name + " has " + found.get(i) + " behind " + found.get(i - 1) + " in " + value);
            }
        }
        for (Long number : found) {
            if (!of(name).asked.contains(number)) {
                violations.accept(name + " has " + number + ", which nobody asked for: " + value);
            } else if (of(name).refused.contains(number)) {
                violations.accept(name + " has " + number + ", which was refused: " + value);
            }
        }
        return found;
    }
}
