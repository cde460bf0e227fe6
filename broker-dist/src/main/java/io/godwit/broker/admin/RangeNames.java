package io.godwit.broker.admin;

import io.godwit.broker.admin.AdminException.Kind;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What operators call the ranges of a store: by the first digits of their number, as many as tell them apart. The
 * number itself, however short, always means its own range.
 */
final class RangeNames {
    /** More than the numbers of the ranges that a store begins with have. */
    private static final int SHORTEST = 6;

    /** Of the largest number. */
    private static final int LONGEST = 19;

    private final Messages.Ranges ranges;
    private final int length;

    RangeNames(Messages.Ranges ranges) {
        this.ranges = ranges;
        int enough = SHORTEST;
        while (enough < LONGEST && distinct(enough) < ranges.ranges().size()) {
            enough++;
        }
        this.length = enough;
    }

    private long distinct(int digits) {
        return ranges.ranges().stream()
                .map(range -> cut(range.id(), digits))
                .distinct()
                .count();
    }

    private static String cut(long id, int digits) {
        String text = Long.toString(id);
        return text.substring(0, Math.min(text.length(), digits));
    }

    /** For people. */
    String shortOf(long id) {
        return cut(id, length);
    }

    /** The one range that {@code name} means, its number or the first digits of it. */
    Messages.Range resolve(long name) throws AdminException {
        List<Messages.Range> exact =
                ranges.ranges().stream().filter(range -> range.id() == name).toList();
        if (!exact.isEmpty()) {
            return exact.get(0);
        }
        String digits = Long.toString(name);
        List<Messages.Range> meant = digits.length() < SHORTEST
                ? List.of()
                : ranges.ranges().stream()
                        .filter(range -> Long.toString(range.id()).startsWith(digits))
                        .toList();
        if (meant.size() == 1) {
            return meant.get(0);
        }
        throw new AdminException(
                Kind.UNKNOWN,
                meant.isEmpty()
                        ? "store " + ranges.store() + " has no range " + name
                        : "range " + name + " of " + ranges.store() + " may be each of "
                                + meant.stream()
                                        .map(range -> Long.toString(range.id()))
                                        .collect(Collectors.joining(", ")));
    }
}
