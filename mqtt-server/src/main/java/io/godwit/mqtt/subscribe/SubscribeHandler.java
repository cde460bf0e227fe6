package io.godwit.mqtt.subscribe;

import io.godwit.dist.client.DistOutcome;
import io.godwit.mqtt.packet.ReasonCode;
import io.godwit.mqtt.packet.RetainHandling;
import io.godwit.mqtt.packet.SubAck;
import io.godwit.mqtt.packet.Subscribe;
import io.godwit.mqtt.packet.Subscription;
import io.godwit.mqtt.packet.UnsubAck;
import io.godwit.mqtt.packet.Unsubscribe;
import io.godwit.mqtt.transport.OnEventLoop;
import io.godwit.plugin.message.Qos;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Answers SUBSCRIBE and UNSUBSCRIBE. Has no state: one serves all sessions. */
public final class SubscribeHandler {

    /** On the loop of {@code subscriber}. */
    public void onSubscribe(Subscriber subscriber, Subscribe packet) {
        int subscriptionId = Math.max(0, packet.subscriptionId());
        List<Subscription> subscriptions = packet.subscriptions();
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
                    subscriber.connection().send(new SubAck(packet.packetId(), codes(subscriptions, failure)));
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
