package io.godwit.dist.deliver;

import io.godwit.dist.client.Deliverer;
import io.godwit.dist.client.Delivery;
import io.godwit.dist.client.DeliveryToken;
import io.godwit.dist.client.DistOutcome;
import io.godwit.dist.client.LiveReceiver;
import io.godwit.dist.client.Match;
import io.godwit.dist.client.Publisher;
import io.godwit.dist.route.Matches;
import io.godwit.dist.route.SharedGroup;
import io.godwit.dist.route.TenantIndex;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.DropReason;
import io.godwit.plugin.event.EventListener;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.Qos;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One client's publishing: matches its messages and hands each to the deliverers, one {@link Delivery} per kind of receiver. Confined to
 * the client's thread. The match lists are those of the index, made once per topic and change; so a message costs one delivery object.
 */
public final class FanOut implements Publisher {
    private final ClientInfo client;
    private final MatchCache cache;
    private final Deliverers deliverers;

    /**
     * Where deliveries go and what is told about them; one for all publishers.
     *
     * @param live takes {@link LiveReceiver}s
     * @param inbox takes {@link io.godwit.dist.client.InboxReceiver}s
     */
    public record Deliverers(Deliverer live, Deliverer inbox, DistCounters counters, EventListener events) {}

    public FanOut(ClientInfo client, TenantIndex index, Deliverers deliverers) {
        this.client = client;
        this.cache = new MatchCache(index, client.clientId());
        this.deliverers = deliverers;
    }

    @Override
    public CompletableFuture<DistOutcome> publish(Message message, @Nullable DeliveryToken token) {
        Matches matches = cache.match(message.topic());
        List<Match> live = matches.live();
        List<Match> inbox = matches.inbox();
        if (!matches.groups().isEmpty()) {
            live = new ArrayList<>(live);
            inbox = new ArrayList<>(inbox);
            pick(matches.groups(), token, live, inbox);
        }
        deliverers.counters.published.increment();
        if (live.isEmpty() && inbox.isEmpty()) {
            deliverers.counters.noMatch.increment();
            return Outcomes.NO_MATCH;
        }
        deliverers.counters.matched.add(live.size() + inbox.size());
        if (inbox.isEmpty()) {
            return watched(deliverers.live.deliver(new Delivery(client, message, live, token)), message, inbox);
        }
        // the inbox first: its commit takes the longer time
        CompletableFuture<DistOutcome> stored = deliverers.inbox.deliver(new Delivery(client, message, inbox, token));
        CompletableFuture<DistOutcome> outcome = live.isEmpty()
                ? stored
                : Outcomes.worst(stored, deliverers.live.deliver(new Delivery(client, message, live, token)));
        return watched(outcome, message, inbox);
    }

    /** One member of each group; sessions that have a plain subscription too get both copies (MQTT 5.0, 4.8.2). */
    private static void pick(
            List<SharedGroup> groups, @Nullable DeliveryToken token, List<Match> live, List<Match> inbox) {
        for (int i = 0; i < groups.size(); i++) {
            Match member = token == null ? groups.get(i).pick() : groups.get(i).pick(token);
            if (member != null) {
                (member.receiver() instanceof LiveReceiver ? live : inbox).add(member);
            }
        }
    }

    private CompletableFuture<DistOutcome> watched(
            CompletableFuture<DistOutcome> outcome, Message message, List<Match> inbox) {
        if (Outcomes.isDelivered(outcome)) {
            return outcome;
        }
        return outcome.thenApply(answer -> {
            if (answer == DistOutcome.OVERLOADED || answer == DistOutcome.FAILED) {
                refused(message, inbox);
            }
            return answer;
        });
    }

    private void refused(Message message, List<Match> inbox) {
        deliverers.counters.refused.increment();
        if (message.qos() != Qos.AT_MOST_ONCE) {
            return; // the publisher is told, and by it the one who reports
        }
        for (Match match : inbox) {
            deliverers.events.onEvent(new BrokerEvent.MessageDropped(
                    client.tenant(), match.receiver().clientId(), message.topic(), DropReason.STORE_FAILED));
        }
    }
}
