package io.godwit.dist.route;

import io.godwit.dist.client.SharedPick;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How shared groups choose.
 *
 * @param byDefault for groups not named, when the listener that a message came through does not say otherwise
 * @param byName for the groups of these share names whatever listeners say, {@code $queue} naming the one without a
 *     name
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

    /** The group's own; null when it has none. */
    @Nullable
    SharedPick own(String shareName) {
        return byName.get(shareName.isEmpty() ? QUEUE : shareName);
    }
}
