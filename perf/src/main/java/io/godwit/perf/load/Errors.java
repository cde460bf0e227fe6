package io.godwit.perf.load;

import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** What went wrong, counted by its text. Event loops add, the thread that samples reads at any time. */
final class Errors {
    private static final int MOST_KINDS = 50;

    private final LongAdder count = new LongAdder();
    private final Map<String, LongAdder> byText = new ConcurrentHashMap<>();

    void add(String text) {
        count.increment();
        // Only so many kinds: texts may have addresses and numbers in them.
        if (byText.size() < MOST_KINDS || byText.containsKey(text)) {
            byText.computeIfAbsent(text, key -> new LongAdder()).increment();
        }
    }

    void add(String what, Throwable cause) {
        String text = cause.getMessage();
        add(what + ": " + (text == null ? cause.getClass().getSimpleName() : text));
    }

    long count() {
        return count.sum();
    }

    void addTo(Map<String, Long> sums) {
        byText.forEach((text, times) -> sums.merge(text, times.sum(), Long::sum));
    }

    Optional<String> mostFrequent() {
        return byText.entrySet().stream()
                .max(Comparator.comparingLong(error -> error.getValue().sum()))
                .map(Map.Entry::getKey);
    }

    void clear() {
        count.reset();
        byText.clear();
    }
}
