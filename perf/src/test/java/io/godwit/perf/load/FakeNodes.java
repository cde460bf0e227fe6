package io.godwit.perf.load;

import io.godwit.perf.load.client.ClientSettings;
import io.godwit.perf.load.client.Endpoint;
import io.godwit.perf.load.client.Placement;
import io.netty.handler.codec.mqtt.MqttConnectReturnCode;
import io.netty.handler.codec.mqtt.MqttQoS;
import io.vertx.core.Vertx;
import io.vertx.mqtt.MqttEndpoint;
import io.vertx.mqtt.MqttServer;
import io.vertx.mqtt.MqttServerOptions;
import io.vertx.mqtt.messages.MqttPublishMessage;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/** Servers that act as the nodes of a cluster: a message published at one goes to the subscribers of all. */
final class FakeNodes {
    static final long DELAY_MILLIS = 1_000;

    private final Vertx vertx = Vertx.vertx();
    private final List<MqttServer> servers = new ArrayList<>();
    private final Map<String, MqttEndpoint> subscribers = new ConcurrentHashMap<>();
    /** For each node, the client ids whose SUBSCRIBE was acknowledged, including repeats. */
    private final List<List<String>> served = new ArrayList<>();

    /** The number of CONNECTs to be refused from now on, at any node. */
    final AtomicInteger refusals = new AtomicInteger();

    /** Filters whose subscription is refused. */
    volatile Predicate<String> refused = filter -> false;

    /** Messages that are acknowledged but not delivered. */
    volatile Predicate<MqttPublishMessage> swallowed = message -> false;
    /** Messages that are neither acknowledged nor delivered. */
    volatile Predicate<MqttPublishMessage> ignored = message -> false;

    /** Messages that are delivered late. */
    volatile Predicate<MqttPublishMessage> delayed = message -> false;

    FakeNodes(int count) throws Exception {
        for (int i = 0; i < count; i++) {
            int node = i;
            served.add(Collections.synchronizedList(new ArrayList<>()));
            MqttServer server = MqttServer.create(
                    vertx, new MqttServerOptions().setHost("127.0.0.1").setPort(0));
            server.endpointHandler(endpoint -> accept(node, endpoint));
            server.listen().toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
            servers.add(server);
        }
    }

    private void accept(int node, MqttEndpoint endpoint) {
        if (refusals.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
            endpoint.reject(MqttConnectReturnCode.CONNECTION_REFUSED_SERVER_UNAVAILABLE);
            return;
        }
        endpoint.subscribeHandler(subscribe -> {
            List<MqttQoS> granted = subscribe.topicSubscriptions().stream()
                    .map(one -> refused.test(one.topicName()) ? MqttQoS.FAILURE : one.qualityOfService())
                    .toList();
            subscribe.topicSubscriptions().forEach(one -> subscribers.put(one.topicName(), endpoint));
            if (!granted.contains(MqttQoS.FAILURE)) {
                served.get(node).add(endpoint.clientIdentifier());
            }
            endpoint.subscribeAcknowledge(subscribe.messageId(), granted);
        });
        endpoint.publishHandler(message -> {
            if (ignored.test(message)) {
                return;
            }
            endpoint.publishAcknowledge(message.messageId());
            if (swallowed.test(message)) {
                return;
            }
            if (delayed.test(message)) {
                vertx.setTimer(DELAY_MILLIS, none -> deliver(message));
            } else {
                deliver(message);
            }
        });
        endpoint.accept(false);
    }

    private void deliver(MqttPublishMessage message) {
        MqttEndpoint subscriber = subscribers.get(message.topicName());
        if (subscriber != null) {
            subscriber.publish(message.topicName(), message.payload(), MqttQoS.AT_MOST_ONCE, false, false);
        }
    }

    Endpoint endpoint(int node) {
        return new Endpoint("127.0.0.1", servers.get(node).actualPort());
    }

    ClientSettings settings(Integer... nodes) {
        return ClientSettings.plain(List.of(nodes).stream().map(this::endpoint).toList(), Placement.ACROSS);
    }

    List<String> served(int node) {
        return List.copyOf(served.get(node));
    }

    /** Stops accepting connections and ends all existing ones. */
    void die(int node) throws Exception {
        servers.get(node).close().toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
    }

    void close() throws Exception {
        vertx.close().toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
    }
}
