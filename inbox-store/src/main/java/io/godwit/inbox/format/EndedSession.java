package io.godwit.inbox.format;

import io.godwit.plugin.topic.TopicFilter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A session that is over, but for its routes, which are removed first, and then what it has left of shared groups,
 * which other members get. The record forgets what is done.
 *
 * @param filters whose routes are still to be removed
 * @param remains null for nothing
 */
public record EndedSession(
        long incarnation,
        List<TopicFilter> filters,
        @Nullable Remains remains) {
    public EndedSession {
        filters = List.copyOf(filters);
    }

    /** Without its routes; null when nothing is left. */
    public @Nullable EndedSession routesRemoved() {
        return remains == null ? null : new EndedSession(incarnation, List.of(), remains);
    }
}
