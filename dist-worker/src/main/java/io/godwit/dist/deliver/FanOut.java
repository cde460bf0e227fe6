package io.godwit.dist.deliver;

import io.godwit.dist.client.Deliverer;
import io.godwit.dist.client.Delivery;
import io.godwit.dist.client.DeliveryToken;
import io.godwit.dist.client.DistOutcome;
import io.godwit.dist.client.LiveReceiver;
import io.godwit.dist.client.Match;
import io.godwit.dist.client.Publisher;
import io.godwit.dist.route.Matches;
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
     * @param strays removes the routes of those whose session has ended
     */
    public record Deliverers(
            Deliverer live, Deliverer inbox, DistCounters counters, EventListener events, StrayRoutes strays) {}

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
        SharedPicks picks = null;
        if (!matches.groups().isEmpty()) {
            live = new ArrayList<>(live);
            inbox = new ArrayList<>(inbox);
            picks = SharedPicks.first(matches.groups(), token, live, inbox);
        }
        deliverers.counters.published.increment();
        if (live.isEmpty() && inbox.isEmpty()) {
            deliverers.counters.noMatch.increment();
            return Outcomes.NO_MATCH;
        }
        deliverers.counters.matched.add(live.size() + inbox.size());
        return watched(deliver(message, token, live, inbox, picks), message, inbox);
    }

    private CompletableFuture<DistOutcome> deliver(
            Message message,
            @Nullable DeliveryToken token,
            List<Match> live,
            List<Match> inbox,
            @Nullable SharedPicks picks) {
        if (inbox.isEmpty()) {
            return deliverers.live.deliver(new Delivery(client, message, live, token));
        }
        // the inbox first: its commit takes the longer time
        CompletableFuture<DistOutcome> stored = picks == null
                ? deliverers.inbox.deliver(new Delivery(client, message, inbox, token, deliverers.strays))
                : deliverShared(new Delivery(client, message, inbox, token, picks), picks);
        return live.isEmpty()
                ? stored
                : Outcomes.worst(stored, deliverers.live.deliver(new Delivery(client, message, live, token)));
    }

    private CompletableFuture<DistOutcome> deliverShared(Delivery delivery, SharedPicks picks) {
        CompletableFuture<DistOutcome> stored = deliverers.inbox.deliver(delivery);
        return Outcomes.isDelivered(stored) && !picks.hasStrays()
                ? stored
                : stored.thenCompose(answer -> picks.hasStrays()
                        ? chooseAgain(delivery, picks, answer)
                        : CompletableFuture.completedFuture(answer));
    }

    /**
     * The sessions of some chosen members had ended, and contract and client count on one member of each group. First their routes go: so the
     * group does not choose them again, nor does a repetition with the same token. What is published meanwhile may overtake the message,
     * which [MQTT5-4.6.0-6] allows for shared subscriptions. A member that has the token by a plain subscription answers that it has the
     * message. When the routes cannot be removed, the publisher is refused, and repeats.
     *
     * @param answer of the other matches
     */
    private CompletableFuture<DistOutcome> chooseAgain(Delivery delivery, SharedPicks picks, DistOutcome answer) {
        if (picks.hasUnserved() && picks.isLastRound()) {
            return CompletableFuture.completedFuture(DistOutcome.FAILED);
        }
        return deliverers
                .strays
                .remove(picks.strays(), delivery.message().topic())
                .handle((done, failure) -> failure)
                .thenCompose(failure -> {
                    if (!picks.hasUnserved()) {
                        return CompletableFuture.completedFuture(answer);
                    }
                    if (failure != null) {
                        return CompletableFuture.completedFuture(
                                Outcomes.worst(answer, DistOutcome.ofFailure(StrayRoutes.cause(failure))));
                    }
                    List<Match> live = new ArrayList<>();
                    List<Match> inbox = new ArrayList<>();
                    SharedPicks next = picks.again(delivery.token(), live, inbox);
                    return live.isEmpty() && inbox.isEmpty()
                            ? CompletableFuture.completedFuture(answer)
                            : deliver(delivery.message(), delivery.token(), live, inbox, next)
                                    .thenApply(later -> Outcomes.worst(answer, later));
                });
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
