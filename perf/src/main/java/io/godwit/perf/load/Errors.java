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

    void add(String what, Throwable thrown) {
        String text = text(thrown);
        String reason = text(root(thrown));
        // "Failed to create SSL connection" alone does not tell which side did not trust the other.
        add(what + ": " + (text.contains(reason) ? text : text + ": " + reason));
    }

    private static Throwable root(Throwable thrown) {
        Throwable root = thrown;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root;
    }

    private static String text(Throwable thrown) {
        String text = thrown.getMessage();
        return text == null ? thrown.getClass().getSimpleName() : text;
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
