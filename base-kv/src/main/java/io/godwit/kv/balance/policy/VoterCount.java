package io.godwit.kv.balance.policy;

import io.godwit.plugin.balance.RangeView;

/**
 * How many voters a range should have while there are fewer stores than voters wanted.
 *
 * <p>With too few stores the number is odd. Two voters stop as soon as one of them stops, so a range with two is less
 * available than a range with one, and four help no more than three. But a range that has two voters because a third
 * store was drained keeps both: they hold two copies of everything acknowledged, and the goal asks for at least that
 * many.
 *
 * @param wanted the number of voters to grow to
 * @param ceiling a range with more voters than this gives one up
 */
public record VoterCount(int wanted, int ceiling) {

    /**
     * @param stores number of stores that may keep voters, whether up or down: if a store that is down did not count,
     *     its absence would move ranges
     */
    public static VoterCount of(int goal, int stores) {
        if (stores >= goal) {
            return new VoterCount(goal, goal);
        }
        int odd = stores % 2 == 1 ? stores : Math.max(1, stores - 1);
        return new VoterCount(odd, stores == 2 ? 2 : odd);
    }

    /**
     * Whether a voter may be exchanged for another: the range has the wanted number, and one more would be removed
     * again.
     */
    boolean allowsExchange(RangeView range) {
        int voters = range.voters().size();
        return voters == wanted && voters + 1 > ceiling;
    }
}
