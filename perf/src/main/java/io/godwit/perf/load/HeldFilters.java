package io.godwit.perf.load;

import io.netty.handler.codec.mqtt.MqttQoS;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.mqtt.MqttClient;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntFunction;

/**
 * Clients that hold many filters and hear nothing of them, while something else is measured. Driven by one thread;
 * {@link #hold} may be called again for more.
 */
public final class HeldFilters implements AutoCloseable {
    private static final int EACH = 10_000;
    private static final int AT_ONCE = 500;
    private static final int LONGEST_SECONDS = 120;
    private static final int PAYLOAD_BYTES = 65_536;

    private final Vertx vertx = Vertx.vertx();
    private final Errors relayErrors = new Errors();
    private final Future<ClientSettings> relayed;
    private final List<MqttClient> clients = new ArrayList<>();
    private int held;

    public HeldFilters(ClientSettings settings) {
        relayed = WebSocketRelay.start(vertx, settings, 1, relayErrors);
    }

    /** Subscribes until {@code count} filters are held; the n-th is {@code filter(n)}. */
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
        Endpoint broker = settings.brokerOf(index);
        await(client.connect(broker.port(), broker.host()));
        return client;
    }

    private static void subscribe(MqttClient client, Map<String, Integer> filters)
            throws InterruptedException, ExecutionException, TimeoutException {
        io.vertx.core.Promise<Void> answered = io.vertx.core.Promise.promise();
        client.subscribeCompletionHandler(suback -> answered.tryComplete());
        client.subscribe(filters);
        await(answered.future());
    }

    private static void await(Future<?> future) throws InterruptedException, ExecutionException, TimeoutException {
        future.toCompletionStage().toCompletableFuture().get(LONGEST_SECONDS, TimeUnit.SECONDS);
    }

    @Override
    public void close() {
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }
}
