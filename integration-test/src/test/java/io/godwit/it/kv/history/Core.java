package io.godwit.it.kv.history;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * Finds the few steps among thousands that cannot be ordered.
 *
 * <p>Some steps can be left away without making a history worse: with one that only looked, nothing else changes; and a
 * written value can go together with all that was seen of it, whereupon what follows finds the value before. A
 * compare-and-set belongs to two values; it is made one that only writes before the one that it saw goes. So when what
 * is left has no order, then neither has the whole.
 */
final class Core {
    private final long giveUpNanos;

    private Core(long giveUpNanos) {
        this.giveUpNanos = giveUpNanos;
    }

    /** @param steps that have no order */
    static List<Step> of(List<Step> steps, long giveUpNanos) {
        Core core = new Core(giveUpNanos);
        List<Step> left = core.withoutValues(core.shortestBeginning(steps));
        left = core.withoutLooks(left);
        return core.withoutValues(left);
    }

    private boolean hasNoOrder(List<Step> steps) {
        return OrderSearch.find(steps, giveUpNanos) == OrderSearch.Result.NONE;
    }

    /**
     * Up to the reply after which there is no order any more: found by halving. What is under way at that time may
     * still write.
     */
    private List<Step> shortestBeginning(List<Step> steps) {
        List<Long> ends =
                steps.stream().map(Step::returnedNanos).distinct().sorted().toList();
        int good = -1;
        int bad = ends.size() - 1;
        while (bad - good > 1) {
            int middle = (good + bad) >>> 1;
            if (hasNoOrder(beginning(steps, ends.get(middle)))) {
                bad = middle;
            } else {
                good = middle;
            }
        }
        return beginning(steps, ends.get(bad));
    }

    /** What had been answered by then, and the writes under way that somebody has seen. */
    private static List<Step> beginning(List<Step> steps, long endNanos) {
        Set<String> seen = new HashSet<>();
        List<Step> left = new ArrayList<>();
        for (Step step : steps) {
            if (step.returnedNanos() <= endNanos) {
                left.add(step);
                seen.add(step.sees());
            }
        }
        boolean isMore = true;
        while (isMore) {
            isMore = false;
            for (Step step : steps) {
                String leaves = step.leaves();
                if (step.returnedNanos() > endNanos
                        && leaves != null
                        && seen.contains(leaves)
                        && !left.contains(step)) {
                    left.add(step);
                    isMore |= seen.add(step.sees());
                }
            }
        }
        return left;
    }

    /** Leaves values away, half of them at once, then quarters, down to single ones. */
    private List<Step> withoutValues(List<Step> steps) {
        Set<String> values = new LinkedHashSet<>();
        steps.stream().map(Step::leaves).filter(Objects::nonNull).forEach(values::add);
        List<String> kept = new ArrayList<>(values);
        List<Step> left = steps;
        for (int size = Math.max(1, kept.size() / 2); ; size /= 2) {
            for (int from = 0; from < kept.size(); ) {
                List<String> part = kept.subList(from, Math.min(kept.size(), from + size));
                List<Step> fewer = without(left, Set.copyOf(part));
                if (hasNoOrder(fewer)) {
                    left = fewer;
                    part.clear();
                } else {
                    from += size;
                }
            }
            if (size <= 1) {
                return left;
            }
        }
    }

    private static List<Step> without(List<Step> steps, Set<String> values) {
        List<Step> left = new ArrayList<>();
        for (Step step : steps) {
            String leaves = step.leaves();
            String sees = step.sees();
            boolean looksAtOne = step.seesAny() && sees != null && values.contains(sees);
            if (leaves == null ? !looksAtOne : !values.contains(leaves)) {
                left.add(looksAtOne ? step.blind() : step);
            }
        }
        return left;
    }

    /** Leaves single looks away; of a compare-and-set, its look. */
    private List<Step> withoutLooks(List<Step> steps) {
        List<Step> left = new ArrayList<>(steps);
        for (int i = left.size() - 1; i >= 0; i--) {
            Step step = left.get(i);
            if (!step.seesAny()) {
                continue;
            }
            List<Step> fewer = new ArrayList<>(left);
            if (step.leaves() == null) {
                fewer.remove(i);
            } else {
                fewer.set(i, step.blind());
            }
            if (hasNoOrder(fewer)) {
                left = fewer;
            }
        }
        return left;
    }
}
