package io.godwit.dist.route;

import java.util.Map;

/**
 * How shared groups choose.
 *
 * @param byDefault for groups not named
 * @param byName for the groups of these share names, {@code $queue} naming the one without a name
 */
public record SharedStrategies(SharedPick byDefault, Map<String, SharedPick> byName) {
    /** The name of the groups of {@code $queue/...}. */
    public static final String QUEUE = "$queue";

    public SharedStrategies {
        byName = Map.copyOf(byName);
    }

    /** The same for all groups. */
    public SharedStrategies(SharedPick all) {
        this(all, Map.of());
    }

    SharedPick of(String shareName) {
        return byName.getOrDefault(shareName.isEmpty() ? QUEUE : shareName, byDefault);
    }
}
