package io.godwit.mqtt.subscribe;

import io.godwit.dist.client.DistOutcome;
import io.godwit.mqtt.auth.Authorizer;
import io.godwit.mqtt.packet.ReasonCode;
import io.godwit.mqtt.packet.RetainHandling;
import io.godwit.mqtt.packet.SubAck;
import io.godwit.mqtt.packet.Subscribe;
import io.godwit.mqtt.packet.Subscription;
import io.godwit.mqtt.packet.UnsubAck;
import io.godwit.mqtt.packet.Unsubscribe;
import io.godwit.mqtt.transport.OnEventLoop;
import io.godwit.plugin.auth.AuthCheck;
import io.godwit.plugin.auth.AuthDecision;
import io.godwit.plugin.auth.SubscribeRequest;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.message.Qos;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Answers SUBSCRIBE and UNSUBSCRIBE. Has no state: one serves all sessions. */
public final class SubscribeHandler {
    private static final CompletableFuture<Boolean> NOTHING_TO_ASK = CompletableFuture.completedFuture(true);

    private final Authorizer authorizer;

    public SubscribeHandler(Authorizer authorizer) {
        this.authorizer = authorizer;
    }

    /** On the loop of {@code subscriber}. */
    public void onSubscribe(Subscriber subscriber, Subscribe packet) {
        if (authorizer.asks(AuthCheck.SUBSCRIBE)) {
            subscriber.inOrder(check(subscriber.client(), packet), answers -> checked(subscriber, packet, answers));
        } else {
            subscribe(subscriber, packet, packet.subscriptions(), null);
        }
    }

    /** The answers about the filters, in their order. */
    private CompletableFuture<List<AuthDecision>> check(ClientInfo client, Subscribe packet) {
        List<CompletableFuture<AuthDecision>> answers =
                new ArrayList<>(packet.subscriptions().size());
        for (Subscription s : packet.subscriptions()) {
            answers.add(authorizer.subscribe(new SubscribeRequest(client, s.filter(), s.qos())));
        }
        return CompletableFuture.allOf(answers.toArray(new CompletableFuture<?>[0]))
                .thenApply(all -> answers.stream().map(CompletableFuture::join).toList());
    }

    private void checked(Subscriber subscriber, Subscribe packet, List<AuthDecision> answers) {
        List<Subscription> allowed = new ArrayList<>(answers.size());
        BitSet denied = new BitSet();
        for (int i = 0; i < answers.size(); i++) {
            Subscription s = packet.subscriptions().get(i);
            if (answers.get(i) instanceof AuthDecision.Denied no) {
                denied.set(i);
                authorizer.subscribeDenied(subscriber.client(), s.filter().text(), no);
            } else {
                allowed.add(s);
            }
        }
        if (!subscriber.connection().isOpen()) {
            return; // never answered, so never asked
        }
        if (allowed.isEmpty()) {
            subscriber.connection().send(new SubAck(packet.packetId(), withDenied(List.of(), denied)));
        } else {
            subscribe(subscriber, packet, allowed, denied.isEmpty() ? null : denied);
        }
    }

    /** Puts the answers about filters that are not allowed between those about the others. */
    private static List<ReasonCode> withDenied(List<ReasonCode> codes, @Nullable BitSet denied) {
        if (denied == null) {
            return codes;
        }
        Iterator<ReasonCode> others = codes.iterator();
        List<ReasonCode> all = new ArrayList<>();
        for (int i = 0; i < codes.size() + denied.cardinality(); i++) {
            all.add(denied.get(i) ? ReasonCode.NOT_AUTHORIZED : others.next());
        }
        return all;
    }

    /**
     * @param subscriptions those that are allowed
     * @param denied places of the others in the packet; null when there are none
     */
    private void subscribe(
            Subscriber subscriber, Subscribe packet, List<Subscription> subscriptions, @Nullable BitSet denied) {
        int subscriptionId = Math.max(0, packet.subscriptionId());
        List<@Nullable RetainedReplay> replays = new ArrayList<>(subscriptions.size());
        for (Subscription s : subscriptions) {
            RetainedReplay replay = null;
            // retained messages do not go to shared subscriptions (MQTT 5.0, 4.8.2)
            if (!s.filter().isShared() && s.retainHandling() != RetainHandling.DO_NOT_SEND) {
                replay = new RetainedReplay(s.filter(), s.qos(), subscriptionId);
                subscriber.beginReplay(replay);
            }
            replays.add(replay);
        }
        OnEventLoop.whenComplete(
                subscriber.connection(), subscriber.subscribe(subscriptions, subscriptionId), (isNew, failure) -> {
                    subscriber
                            .connection()
                            .send(new SubAck(packet.packetId(), withDenied(codes(subscriptions, failure), denied)));
                    for (int i = 0; i < replays.size(); i++) {
                        RetainedReplay replay = replays.get(i);
                        if (replay != null) {
                            boolean isWanted = failure == null
                                    && (isNew.get(i) || subscriptions.get(i).retainHandling() == RetainHandling.SEND);
                            subscriber.replay(replay, isWanted);
                        }
                    }
                });
    }

    private static List<ReasonCode> codes(List<Subscription> subscriptions, @Nullable Throwable failure) {
        if (failure != null) {
            return Collections.nCopies(subscriptions.size(), refusal(failure));
        }
        List<ReasonCode> codes = new ArrayList<>(subscriptions.size());
        for (Subscription s : subscriptions) {
            codes.add(granted(s.qos()));
        }
        return codes;
    }

    private static ReasonCode granted(Qos qos) {
        return switch (qos) {
            case AT_MOST_ONCE -> ReasonCode.SUCCESS;
            case AT_LEAST_ONCE -> ReasonCode.GRANTED_QOS_1;
            case EXACTLY_ONCE -> ReasonCode.GRANTED_QOS_2;
        };
    }

    /** On the loop of {@code subscriber}. */
    public void onUnsubscribe(Subscriber subscriber, Unsubscribe packet) {
        if (authorizer.asks(AuthCheck.SUBSCRIBE)) {
            subscriber.inOrder(NOTHING_TO_ASK, nothing -> unsubscribe(subscriber, packet));
        } else {
            unsubscribe(subscriber, packet);
        }
    }

    private static void unsubscribe(Subscriber subscriber, Unsubscribe packet) {
        OnEventLoop.whenComplete(
                subscriber.connection(), subscriber.unsubscribe(packet.filters()), (existed, failure) -> {
                    if (failure != null && subscriber.client().protocolLevel() < 5) {
                        // UNSUBACK of 3.1.1 can not say no: unanswered, the client will ask again
                        subscriber.connection().disconnect(refusal(failure), "an UNSUBSCRIBE could not be stored");
                        return;
                    }
                    List<ReasonCode> codes = failure != null
                            ? Collections.nCopies(packet.filters().size(), refusal(failure))
                            : existed.stream()
                                    .map(was -> was ? ReasonCode.SUCCESS : ReasonCode.NO_SUBSCRIPTION_EXISTED)
                                    .toList();
                    subscriber.connection().send(new UnsubAck(packet.packetId(), codes));
                });
    }

    private static ReasonCode refusal(Throwable failure) {
        return DistOutcome.ofFailure(failure) == DistOutcome.OVERLOADED
                ? ReasonCode.QUOTA_EXCEEDED
                : ReasonCode.UNSPECIFIED_ERROR;
    }
}
