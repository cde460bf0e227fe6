package io.godwit.perf.cluster;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.HashSet;
import java.util.Set;

/**
 * Numbers about the ranges of a store and their voters, from {@code godwit-admin --json ranges}. Immutable.
 *
 * @param fewestVoters of the range that has the fewest
 * @param mostVoters of the range that has the most
 * @param leaders different nodes that lead ranges
 * @param unled ranges without a leader
 */
record StoreReplicas(int ranges, int fewestVoters, int mostVoters, int leaders, int unled) {
    /**
     * Parses the output; without ranges if {@code told} has none.
     *
     * @throws ClassCastException if it does not have the form of {@code ranges}
     */
    static StoreReplicas of(JsonObject told) {
        JsonArray ranges = told.getJsonArray("ranges", new JsonArray());
        int fewest = Integer.MAX_VALUE;
        int most = 0;
        int unled = 0;
        Set<String> leaders = new HashSet<>();
        for (int i = 0; i < ranges.size(); i++) {
            JsonObject range = ranges.getJsonObject(i);
            int voters = range.getJsonArray("voters", new JsonArray()).size();
            fewest = Math.min(fewest, voters);
            most = Math.max(most, voters);
            String leader = range.getString("leader", "");
            if (leader.isEmpty()) {
                unled++;
            } else {
                leaders.add(leader);
            }
        }
        return new StoreReplicas(ranges.size(), ranges.isEmpty() ? 0 : fewest, most, leaders.size(), unled);
    }

    /** Whether there are ranges, each has a leader, and each has exactly {@code voters} voters. */
    boolean areComplete(int voters) {
        return ranges > 0 && unled == 0 && fewestVoters == voters && mostVoters == voters;
    }

    /** A description for the user, such as {@code 2 ranges of 3 voters, led by 2 nodes}. */
    String describe() {
        String voters = fewestVoters == mostVoters ? String.valueOf(mostVoters) : fewestVoters + " to " + mostVoters;
        return ranges + (ranges == 1 ? " range of " : " ranges of ") + voters + (mostVoters == 1 ? " voter" : " voters")
                + ", led by " + leaders + (leaders == 1 ? " node" : " nodes")
                + (unled == 0 ? "" : ", " + unled + " unled");
    }
}
