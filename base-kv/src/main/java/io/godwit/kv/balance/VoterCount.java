package io.godwit.kv.balance;

import io.godwit.plugin.balance.RangeView;

/**
 * How many voters a range should have while there may be fewer stores than voters wanted.
 *
 * <p>With too few stores the number is odd: two voters stand still as soon as one of them does, so a second one makes a
 * range less available than one alone, and a fourth helps no more than three. But a range that has two voters because a
 * third store was drained keeps both: they are two copies of all that was acknowledged, and what is asked for is at
 * least that.
 *
 * @param wanted grown to, as far as stores are there
 * @param ceiling above which a voter is given up
 */
public record VoterCount(int wanted, int ceiling) {

    /**
     * @param stores that may keep voters, whether they are up or not: a store that is away still counts, or its absence
     *     would move ranges
     */
    public static VoterCount of(int goal, int stores) {
        if (stores >= goal) {
            return new VoterCount(goal, goal);
        }
        int odd = stores % 2 == 1 ? stores : Math.max(1, stores - 1);
        return new VoterCount(odd, stores == 2 ? 2 : odd);
    }

    /**
     * Whether the range has what it should, and one more would be given up again: then a voter may be exchanged for
     * another.
     */
    boolean allowsExchange(RangeView range) {
        int voters = range.voters().size();
        return voters == wanted && voters + 1 > ceiling;
    }
}
