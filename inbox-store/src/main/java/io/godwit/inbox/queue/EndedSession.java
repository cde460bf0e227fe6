package io.godwit.inbox.queue;

import io.godwit.plugin.topic.TopicFilter;
import java.util.List;

/** A session that is over, but for its routes: they are removed before the record forgets them. */
record EndedSession(long incarnation, List<TopicFilter> filters) {
    EndedSession {
        filters = List.copyOf(filters);
    }
}
