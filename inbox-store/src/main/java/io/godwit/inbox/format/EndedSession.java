package io.godwit.inbox.format;

import io.godwit.plugin.topic.TopicFilter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An ended session with cleanup left to do: first its routes are removed, then its unfinished messages of shared groups
 * go to other members. The record drops each step that is done.
 *
 * @param filters whose routes are still to be removed
 * @param remains null when there are none
 */
public record EndedSession(
        long incarnation,
        List<TopicFilter> filters,
        @Nullable Remains remains) {
    public EndedSession {
        filters = List.copyOf(filters);
    }

    /** The same with its routes removed; null when nothing is left to do. */
    public @Nullable EndedSession routesRemoved() {
        return remains == null ? null : new EndedSession(incarnation, List.of(), remains);
    }
}
