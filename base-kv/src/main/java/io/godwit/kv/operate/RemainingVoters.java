package io.godwit.kv.operate;

import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Whether a range may lose a voter: more than half of the voters that remain must have caught up (ADR 106). A voter
 * that has nothing yet does not vote, so without this rule a change could leave voters of whom no majority can ever
 * elect a leader.
 *
 * <p>The rule cannot keep a range from healing: as long as more than half of its voters have caught up, any other voter
 * may be removed, because that makes the group smaller and takes none of them away. A range without such a majority
 * commits no change in any case, until voters have caught up.
 */
final class RemainingVoters {
    private RemainingVoters() {}

    /**
     * Why {@code leaving} must stay a voter for now.
     *
     * @param hasCaughtUp whether a voter lives and has the data, as the leader sees it
     * @return empty if it may go
     */
    static Optional<String> whyNot(List<String> voters, String leaving, Predicate<String> hasCaughtUp) {
        List<String> remaining =
                voters.stream().filter(voter -> !voter.equals(leaving)).toList();
        List<String> behind = remaining.stream().filter(hasCaughtUp.negate()).toList();
        int caughtUp = remaining.size() - behind.size();
        if (caughtUp * 2 > remaining.size()) {
            return Optional.empty();
        }
        return Optional.of("without " + leaving + " only " + caughtUp + " of " + remaining.size()
                + " voters would be there and have the data, which is no majority; missing: "
                + String.join(", ", behind) + "; ask again when they have caught up");
    }
}
