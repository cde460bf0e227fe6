package io.godwit.broker.admin.rpc;

import io.godwit.broker.admin.terminal.AdminException;
import io.godwit.broker.admin.terminal.AdminException.Kind;
import io.godwit.kv.operate.ShortNumbers;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Short names of the ranges of a store: the first digits of their numbers, as many as tell them apart. A whole number,
 * however short, always means its own range.
 */
public final class RangeNames {
    private final Messages.Ranges ranges;
    private final ShortNumbers numbers;

    public RangeNames(Messages.Ranges ranges) {
        this.ranges = ranges;
        this.numbers = new ShortNumbers(
                ranges.ranges().stream().map(Messages.Range::id).toList());
    }

    /** The short name, for people. */
    public String shortOf(long id) {
        return numbers.of(id);
    }

    /** The only range with that number, or else whose number begins with these digits. */
    Messages.Range resolve(long name) throws AdminException {
        List<Messages.Range> exact =
                ranges.ranges().stream().filter(range -> range.id() == name).toList();
        if (!exact.isEmpty()) {
            return exact.get(0);
        }
        String digits = Long.toString(name);
        List<Messages.Range> meant = digits.length() < ShortNumbers.SHORTEST
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
