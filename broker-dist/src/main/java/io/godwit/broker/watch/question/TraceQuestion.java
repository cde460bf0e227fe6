package io.godwit.broker.watch.question;

import io.godwit.api.port.watch.WatchSource.TraceFilter;
import io.godwit.mqtt.client.AddressPattern;
import io.godwit.mqtt.client.PeerAddress;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.topic.TopicFilter;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a trace follows: at least one of client, topics and address. All given conditions must hold.
 *
 * @param clientId of a publisher, subscriber or receiver
 * @param filter the topics; not a shared filter
 * @param address of a client's connection, see {@link AddressPattern}
 * @param tenant empty for all
 */
public record TraceQuestion(
        Optional<String> clientId, Optional<TopicFilter> filter, Optional<String> address, Optional<String> tenant)
        implements WatchQuestion, EventWatch {
    /** The events that traces report with entries of their own, so the events themselves are left out. */
    private static final Set<Class<? extends BrokerEvent>> TRACED = Set.of(
            BrokerEvent.PublishReceived.class,
            BrokerEvent.PublishAccepted.class,
            BrokerEvent.MessageQueued.class,
            BrokerEvent.MessageDelivered.class,
            BrokerEvent.MessageAcknowledged.class,
            BrokerEvent.Subscribed.class,
            BrokerEvent.Unsubscribed.class);

    public TraceQuestion {
        if (clientId.isEmpty() && filter.isEmpty() && address.isEmpty()) {
            throw new IllegalArgumentException("a trace follows a client, topics or an address");
        }
        if (filter.isPresent() && (filter.get().isShared() || filter.get().isExclusive())) {
            throw new IllegalArgumentException("a trace follows a filter that is not shared or exclusive");
        }
    }

    public static TraceQuestion of(TraceFilter filter) {
        return new TraceQuestion(
                filter.clientId(), filter.topicFilter().map(TraceQuestion::parsed), filter.address(), filter.tenant());
    }

    /** @throws IllegalArgumentException if the text is no topic filter */
    static TopicFilter parsed(String text) {
        return TopicFilter.parse(text)
                .orElseThrow(() -> new IllegalArgumentException("no topic filter: " + WatchEntry.cut(text)));
    }

    @Override
    public String told() {
        return "trace";
    }

    /**
     * Whether the trace follows an entry.
     *
     * @param client the client of the entry; null for none
     * @param other a second client of the entry; null for none
     * @param remoteAddress of {@code client}; null if unknown
     * @param topic null for none
     */
    public boolean follows(
            @Nullable String ofTenant,
            @Nullable String client,
            @Nullable String other,
            @Nullable String remoteAddress,
            @Nullable String topic) {
        return (tenant.isEmpty() || tenant.get().equals(ofTenant))
                && (clientId.isEmpty()
                        || clientId.get().equals(client)
                        || clientId.get().equals(other))
                && (filter.isEmpty() || topic != null && filter.get().matches(topic))
                && (address.isEmpty()
                        || remoteAddress != null
                                && new AddressPattern(address.get()).matches(PeerAddress.hostOf(remoteAddress)));
    }

    public boolean follows(ClientInfo client, @Nullable String topic) {
        return follows(client.tenant().value(), client.clientId().value(), null, client.remoteAddress(), topic);
    }

    /** Whether the trace follows a subscription: one to the followed topics, or to some of them ({@link #meets}). */
    public boolean followsFilter(ClientInfo client, TopicFilter subscribed) {
        return follows(client, null) || filter.isPresent() && meets(subscribed.filter()) && withoutFilter(client);
    }

    private boolean withoutFilter(ClientInfo client) {
        return clientId.isEmpty() && address.isEmpty()
                ? tenant.isEmpty() || tenant.get().equals(client.tenant().value())
                : new TraceQuestion(clientId, Optional.empty(), address, tenant).follows(client, null);
    }

    /** Whether some topic matches both filters. */
    private boolean meets(String subscribed) {
        String[] followed = filter.orElseThrow().filter().split("/", -1);
        String[] other = subscribed.split("/", -1);
        boolean isOfBroker = followed[0].startsWith("$") || other[0].startsWith("$");
        if (isOfBroker && !followed[0].equals(other[0])) {
            return false; // a wildcard does not match the first level of these topics [MQTT-4.7.2-1]
        }
        for (int level = 0; level < followed.length || level < other.length; level++) {
            String one = level < followed.length ? followed[level] : "";
            String two = level < other.length ? other[level] : "";
            if (one.equals("#") || two.equals("#")) {
                return true;
            }
            boolean isOver = level >= followed.length || level >= other.length;
            if (isOver || !one.equals("+") && !two.equals("+") && !one.equals(two)) {
                return false;
            }
        }
        return true;
    }

    @Override
    public boolean wants(Class<? extends BrokerEvent> kind) {
        return !TRACED.contains(kind) && EventWords.of(kind).isAboutClients();
    }

    @Override
    public boolean matches(BrokerEvent event) {
        EventWords words = EventWords.of(event.getClass());
        return wants(event.getClass())
                && follows(words.tenant(event), words.clientId(event), null, words.address(event), words.topic(event));
    }
}
