package io.godwit.broker.store;

import io.godwit.broker.watch.tap.TraceTap;
import io.godwit.common.failure.Failures;
import io.godwit.dist.client.Deliverer;
import io.godwit.dist.client.Delivery;
import io.godwit.dist.client.DeliveryToken;
import io.godwit.dist.client.DistOutcome;
import io.godwit.dist.client.InboxReceiver;
import io.godwit.dist.client.Match;
import io.godwit.inbox.client.InboxClient;
import io.godwit.inbox.client.InsertOutcome;
import io.godwit.inbox.client.InsertRequest;
import io.godwit.kv.client.RequestPlace;
import io.godwit.kv.client.Resend;
import io.godwit.mqtt.trace.Tracing;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Hands deliveries for persistent sessions to the inbox store. Thread-safe, without state. */
public final class InboxDeliverer implements Deliverer {
    private final Supplier<InboxClient> inbox;
    private final TraceTap traces;

    /** @param inbox a supplier, because the dist-worker is built with this deliverer before the inbox store opens */
    InboxDeliverer(Supplier<InboxClient> inbox) {
        this(inbox, new TraceTap(new Tracing(), () -> 0));
    }

    /** @param traces told of each delivery that it follows */
    public InboxDeliverer(Supplier<InboxClient> inbox, TraceTap traces) {
        this.inbox = inbox;
        this.traces = traces;
    }

    @Override
    public CompletableFuture<DistOutcome> deliver(Delivery delivery) {
        traces.storing(delivery);
        return inbox.get().insert(request(delivery, false)).handle((outcomes, failure) -> {
            if (failure != null || outcomes == null) {
                DistOutcome outcome = outcomeOf(failure);
                traces.notStored(delivery, outcome);
                return outcome;
            }
            traces.stored(delivery, outcomes);
            return outcomeOf(delivery, outcomes);
        });
    }

    @Override
    public CompletableFuture<List<Boolean>> know(Delivery delivery) {
        return inbox.get()
                .insert(request(delivery, true))
                .thenApply(outcomes -> outcomes.stream()
                        .map(outcome -> outcome == InsertOutcome.ALREADY_THERE)
                        .toList());
    }

    private static InsertRequest request(Delivery delivery, boolean onlyAsks) {
        Message message = delivery.message();
        List<InsertRequest.Target> targets = new ArrayList<>(delivery.matches().size());
        for (Match match : delivery.matches()) {
            if (!(match.receiver() instanceof InboxReceiver receiver)) {
                throw new IllegalArgumentException("not an inbox: " + match.receiver());
            }
            TopicFilter sharedBy = match.sharedBy();
            targets.add(new InsertRequest.Target(
                    receiver.clientId(),
                    receiver.incarnation(),
                    Qos.min(match.qos(), message.qos()),
                    match.retainAsPublished() && message.retain(),
                    match.subscriptionIds(),
                    sharedBy == null ? null : sharedBy.text(),
                    sharedBy != null && delivery.strays().mayRefuse(match)));
        }
        DeliveryToken token = delivery.token();
        TenantId tenant = delivery.publisher().tenant();
        // senders do not retry messages of QoS 0, so nothing makes this request obsolete
        Resend resend = message.qos() == Qos.AT_MOST_ONCE ? Resend.ALWAYS : delivery.resend();
        if (token != null) {
            return new InsertRequest(
                    tenant,
                    message,
                    targets,
                    token.origin(),
                    token.number(),
                    token.finishedBelow(),
                    onlyAsks,
                    token.order(),
                    resend);
        }
        RequestPlace place = resend.place();
        return place == null
                ? new InsertRequest(tenant, message, targets, null, 0, 0, onlyAsks, null, resend)
                : new InsertRequest(tenant, message, targets, null, place.number(), 0, onlyAsks, place.order(), resend);
    }

    private DistOutcome outcomeOf(Delivery delivery, List<InsertOutcome> outcomes) {
        boolean reached = false;
        for (int i = 0; i < outcomes.size(); i++) {
            switch (outcomes.get(i)) {
                case NO_SESSION ->
                    delivery.strays()
                            .found(
                                    delivery.message().topic(),
                                    delivery.matches().get(i));
                case DECLINED -> delivery.strays().refused(delivery.matches().get(i));
                case STORED, ALREADY_THERE, DROPPED -> reached = true;
            }
        }
        return reached ? DistOutcome.DELIVERED : DistOutcome.NO_MATCH;
    }

    private static DistOutcome outcomeOf(@Nullable Throwable failure) {
        return failure == null ? DistOutcome.FAILED : DistOutcome.ofFailure(Failures.cause(failure));
    }
}
