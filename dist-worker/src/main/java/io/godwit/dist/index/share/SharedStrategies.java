package io.godwit.dist.index.share;

import io.godwit.dist.client.SharedPick;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The strategies of shared groups.
 *
 * @param byDefault for groups without their own, when the message's listener has none
 * @param byName for the groups of these share names, with priority over listeners; {@link #QUEUE} is the key for groups
 *     of {@code $queue}
 */
public record SharedStrategies(SharedPick byDefault, Map<String, SharedPick> byName) {
    /** The key of the groups of {@code $queue/...}. */
    public static final String QUEUE = "$queue";

    public SharedStrategies {
        byName = Map.copyOf(byName);
    }

    /** The same for all groups. */
    public SharedStrategies(SharedPick all) {
        this(all, Map.of());
    }

    /** The group's own strategy; null when it has none. */
    @Nullable
    SharedPick own(String shareName) {
        return byName.get(shareName.isEmpty() ? QUEUE : shareName);
    }
}
