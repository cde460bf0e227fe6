package io.godwit.api.port.watch;

import io.godwit.api.port.NotServingException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/** Lets operators watch all nodes. Any thread; calls return at once. */
public interface WatchSource {
    /**
     * Selects events.
     *
     * @param types as {@link EventTypes} names them; none for all
     * @param clientId of the client they concern
     * @param tenant events of this tenant only; empty for all, and those of the cluster
     * @param node only events of this node, by store id
     */
    record EventFilter(Set<String> types, Optional<String> clientId, Optional<String> tenant, Optional<String> node) {
        public EventFilter {
            types = Set.copyOf(types);
        }
    }

    /**
     * What to trace; every condition given must hold. At least one of the first three is given.
     *
     * @param clientId of the publisher, subscriber or receiver
     * @param topicFilter a valid filter, not of a shared or exclusive subscription
     * @param address of a client, without port
     * @param tenant empty for all
     */
    record TraceFilter(
            Optional<String> clientId,
            Optional<String> topicFilter,
            Optional<String> address,
            Optional<String> tenant) {}

    /**
     * Begins to trace clients and messages.
     *
     * @param longest after which the feed ends
     * @throws NotServingException as {@link #events}
     */
    WatchFeed trace(TraceFilter filter, Duration longest);

    /**
     * Begins to watch events.
     *
     * @param longest after which the feed ends
     * @return empty when there is no such node
     * @throws NotServingException when the node starts or stops, or the limit of watches is reached
     */
    Optional<WatchFeed> events(EventFilter filter, Duration longest);
}
