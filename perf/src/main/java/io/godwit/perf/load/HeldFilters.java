package io.godwit.perf.load;

import io.godwit.perf.load.client.ClientSettings;
import io.godwit.perf.load.client.Endpoint;
import io.godwit.perf.load.client.Placement;
import io.godwit.perf.load.client.WebSocketRelay;
import io.godwit.perf.load.measure.Errors;
import io.godwit.perf.load.measure.Time;
import io.netty.handler.codec.mqtt.MqttQoS;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.mqtt.MqttClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntFunction;

/**
 * Clients that hold many filters and receive no messages on them while something else is measured. {@link #missing}
 * checks whether the brokers know the filters. Used by one thread; {@link #hold} may be called again for more filters.
 */
public final class HeldFilters implements AutoCloseable {
    private static final int EACH = 10_000;
    private static final int AT_ONCE = 500;
    private static final int LONGEST_SECONDS = 120;
    private static final int PAYLOAD_BYTES = 65_536;
    private static final int REFUSED = 0x80;
    private static final long LOOK_MILLIS = 10;

    private final Vertx vertx = Vertx.vertx();
    private final Errors relayErrors = new Errors();
    private final Future<ClientSettings> relayed;
    private final List<MqttClient> clients = new ArrayList<>();
    /** Payloads of the messages of {@link #missing} that holders received. */
    private final Set<String> heard = ConcurrentHashMap.newKeySet();

    private int held;

    public HeldFilters(ClientSettings settings) {
        relayed = WebSocketRelay.start(vertx, settings, 1, relayErrors);
    }

    /**
     * Subscribes until {@code count} filters are held; the n-th is {@code filter(n)}.
     *
     * @throws LoadFailedException if a client cannot connect or subscribe
     */
    public void hold(int count, IntFunction<String> filter) throws LoadFailedException, InterruptedException {
        try {
            while (held < count) {
                int index = held / EACH;
                if (index == clients.size()) {
                    clients.add(connect(index));
                }
                Map<String, Integer> filters = new LinkedHashMap<>();
                int end = Math.min(Math.min(count, held + AT_ONCE), (index + 1) * EACH);
                for (int i = held; i < end; i++) {
                    filters.put(filter.apply(i), MqttQoS.AT_MOST_ONCE.value());
                }
                subscribe(clients.get(index), filters);
                held = end;
            }
        } catch (ExecutionException | TimeoutException e) {
            throw new LoadFailedException("only " + held + " filters could be subscribed: "
                    + relayErrors.mostFrequent().orElse(e.toString()));
        }
    }

    private MqttClient connect(int index) throws InterruptedException, ExecutionException, TimeoutException {
        await(relayed);
        ClientSettings settings = relayed.result();
        MqttClient client =
                MqttClient.create(vertx, settings.options("holder-" + index, index, true, PAYLOAD_BYTES, 1));
        client.publishHandler(message -> heard.add(message.payload().toString()));
        Endpoint broker = settings.brokerOf(index);
        await(client.connect(broker.port(), broker.host()));
        return client;
    }

    private static void subscribe(MqttClient client, Map<String, Integer> filters)
            throws InterruptedException, ExecutionException, TimeoutException {
        Promise<Void> answered = Promise.promise();
        client.subscribeCompletionHandler(suback -> {
            long refused = suback.grantedQoSLevels().stream()
                    .filter(granted -> granted >= REFUSED)
                    .count();
            if (refused == 0) {
                answered.tryComplete();
            } else {
                answered.tryFail("the broker refused %,d of %,d filters".formatted(refused, filters.size()));
            }
        });
        client.closeHandler(closed -> answered.tryFail("the broker closed the connection"));
        client.subscribe(filters);
        await(answered.future());
    }

    /**
     * Publishes a message to some of the held filters, spread evenly over all of them, through {@code broker}.
     *
     * @param count how many; at least 1, and no more than are held
     * @param topic a topic that matches the n-th filter only
     * @param limit the longest time to wait for messages that do not arrive
     * @return the number of messages that did not arrive
     */
    public int missing(Endpoint broker, int count, IntFunction<String> topic, Duration limit)
            throws LoadFailedException, InterruptedException {
        ClientSettings settings = ClientSettings.plain(List.of(broker), Placement.ACROSS);
        MqttClient client = MqttClient.create(vertx, settings.options("asker", 0, true, PAYLOAD_BYTES, count));
        heard.clear();
        try {
            await(client.connect(broker.port(), broker.host()));
            for (int i = 0; i < count; i++) {
                int filter = (int) ((long) held * i / count);
                await(client.publish(
                        topic.apply(filter),
                        Buffer.buffer(String.valueOf(filter)),
                        MqttQoS.AT_LEAST_ONCE,
                        false,
                        false));
            }
        } catch (ExecutionException | TimeoutException e) {
            throw new LoadFailedException("filters could not be published to: " + e);
        }
        long endNanos = Time.nowNanos() + limit.toNanos();
        while (heard.size() < count && Time.nowNanos() < endNanos) {
            TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
        }
        return count - heard.size();
    }

    private static void await(Future<?> future) throws InterruptedException, ExecutionException, TimeoutException {
        future.toCompletionStage().toCompletableFuture().get(LONGEST_SECONDS, TimeUnit.SECONDS);
    }

    @Override
    public void close() {
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }
}
