package io.godwit.broker.clients.remote;

import io.godwit.broker.clients.wire.CodesAnswer;
import io.godwit.broker.clients.wire.SubscribeRequest;
import io.godwit.broker.clients.wire.UnsubscribeRequest;
import io.godwit.broker.clients.wire.WantedSubscription;
import io.godwit.mqtt.client.ClientKey;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.packet.field.RetainHandling;
import io.godwit.mqtt.packet.field.Subscription;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Encodes requests on behalf of clients. Readers throw {@link IllegalArgumentException}. */
public final class BehalfWire {
    /** Bound of filters in one request. */
    static final int MAX_FILTERS = 100;

    private static final int MAX_ID = 268_435_455;

    private BehalfWire() {}

    static SubscribeRequest request(ClientKey key, List<Subscription> subscriptions, int subscriptionId) {
        SubscribeRequest.Builder request = SubscribeRequest.newBuilder()
                .setVersion(ClientWire.VERSION)
                .setKey(ClientWire.key(key))
                .setSubscriptionId(subscriptionId);
        for (Subscription each : subscriptions) {
            request.addSubscriptions(WantedSubscription.newBuilder()
                    .setFilter(each.filter().text())
                    .setQos(each.qos().value())
                    .setNoLocal(each.noLocal())
                    .setRetainAsPublished(each.retainAsPublished())
                    .setRetainHandling(each.retainHandling().value()));
        }
        return request.build();
    }

    static UnsubscribeRequest request(ClientKey key, List<TopicFilter> filters) {
        return UnsubscribeRequest.newBuilder()
                .setVersion(ClientWire.VERSION)
                .setKey(ClientWire.key(key))
                .addAllFilters(filters.stream().map(TopicFilter::text).toList())
                .build();
    }

    static List<Subscription> subscriptions(SubscribeRequest request) {
        checkCount(request.getSubscriptionsCount());
        List<Subscription> subscriptions = new ArrayList<>(request.getSubscriptionsCount());
        for (WantedSubscription each : request.getSubscriptionsList()) {
            TopicFilter filter = filter(each.getFilter());
            if (each.getNoLocal() && filter.isShared()) {
                throw new IllegalArgumentException("no local on a shared subscription");
            }
            subscriptions.add(new Subscription(
                    filter,
                    Qos.of(each.getQos()),
                    each.getNoLocal(),
                    each.getRetainAsPublished(),
                    RetainHandling.of(each.getRetainHandling())));
        }
        return subscriptions;
    }

    static int subscriptionId(SubscribeRequest request) {
        int id = request.getSubscriptionId();
        if (id < 0 || id > MAX_ID) {
            throw new IllegalArgumentException("no subscription id: " + Integer.toUnsignedString(id));
        }
        return id;
    }

    static List<TopicFilter> filters(UnsubscribeRequest request) {
        checkCount(request.getFiltersCount());
        return request.getFiltersList().stream().map(BehalfWire::filter).toList();
    }

    private static void checkCount(int filters) {
        if (filters < 1 || filters > MAX_FILTERS) {
            throw new IllegalArgumentException("1 to " + MAX_FILTERS + " filters, were " + filters);
        }
    }

    public static TopicFilter filter(String text) {
        return TopicFilter.parse(text).orElseThrow(() -> new IllegalArgumentException("no filter"));
    }

    static CodesAnswer answer(Optional<List<ReasonCode>> codes) {
        CodesAnswer.Builder answer = CodesAnswer.newBuilder().setIsConnected(codes.isPresent());
        codes.ifPresent(all -> all.forEach(code -> answer.addCodes(code.value())));
        return answer.build();
    }

    static Optional<List<ReasonCode>> codes(CodesAnswer answer, int count) {
        if (!answer.getIsConnected()) {
            return Optional.empty();
        }
        List<ReasonCode> codes = new ArrayList<>(answer.getCodesCount());
        for (int value : answer.getCodesList()) {
            ReasonCode code = ReasonCode.of(value);
            if (code == null) {
                throw new IllegalArgumentException("no reason code: " + Integer.toUnsignedString(value));
            }
            codes.add(code);
        }
        if (codes.size() != count) {
            throw new IllegalArgumentException(codes.size() + " codes for " + count + " filters");
        }
        return Optional.of(codes);
    }
}
