package io.godwit.broker.watch.top;

import java.util.Comparator;
import java.util.List;

/**
 * A client or a topic in a list.
 *
 * @param numbers as {@link TopKind} defines them
 */
record TopItem(String tenant, String name, List<Long> numbers) {
    TopItem {
        numbers = List.copyOf(numbers);
    }

    long number(int which) {
        return numbers.get(which);
    }

    /** The order of a list, with the first item first. */
    static Comparator<TopItem> order(TopKind kind) {
        Comparator<TopItem> byScore = kind == TopKind.SLOW_SUBSCRIBERS
                ? Comparator.comparingLong((TopItem item) -> Math.max(item.number(0), item.number(2)))
                        .thenComparingLong(item -> item.number(1))
                : Comparator.comparingLong(item -> item.number(0));
        return byScore.reversed().thenComparing(TopItem::tenant).thenComparing(TopItem::name);
    }

    /** The sum of one item's numbers on two nodes. */
    TopItem plus(TopItem other) {
        Long[] sums = new Long[numbers.size()];
        for (int i = 0; i < sums.length; i++) {
            sums[i] = number(i) + other.number(i);
        }
        return new TopItem(tenant, name, List.of(sums));
    }
}
