package io.godwit.dist;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.dist.client.Delayer;
import io.godwit.dist.client.Deliverer;
import io.godwit.dist.client.DistClient;
import io.godwit.dist.client.DistOutcome;
import io.godwit.dist.client.InboxReceiver;
import io.godwit.dist.client.SubscriptionOptions;
import io.godwit.kv.KvNode;
import io.godwit.kv.KvNodeConfig;
import io.godwit.kv.KvStore;
import io.godwit.kv.store.StoreSpec;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.event.EventListener;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The dist-worker on a real node, with log and database. */
@Timeout(60)
class StoredRoutesTest {
    private static final SubscriptionOptions OPTIONS = new SubscriptionOptions(Qos.AT_LEAST_ONCE, false, false, 0);

    @TempDir
    Path data;

    private final AtomicReference<KvStore> store = new AtomicReference<>();
    private int deliveries;

    @Test
    void routesAreInForceWhenTheStoreSaysItIsReady() throws Exception {
        try (KvNode node = KvNode.open(KvNodeConfig.standalone(data));
                DistWorker worker = open(node)) {
            DistClient client = worker.client();
            List<CompletableFuture<Void>> writes = new ArrayList<>();
            for (int i = 0; i < 500; i++) {
                writes.add(client.addRoute(filter("device/" + i + "/+"), receiver(i), OPTIONS));
            }
            for (int i = 0; i < 500; i += 2) {
                writes.add(client.removeRoute(filter("device/" + i + "/+"), receiver(i)));
            }
            for (CompletableFuture<Void> write : writes) {
                write.get(30, TimeUnit.SECONDS);
            }
            assertThat(publish(client, "device/7/state")).isEqualTo(DistOutcome.DELIVERED);
        }
        try (KvNode node = KvNode.open(KvNodeConfig.standalone(data));
                DistWorker worker = open(node)) {
            deliveries = 0;
            for (int i = 0; i < 500; i++) {
                publish(worker.client(), "device/" + i + "/state");
            }
            assertThat(deliveries).isEqualTo(250);
            assertThat(worker.listRoutes(TenantId.DEFAULT, null, 1000)
                            .get(30, TimeUnit.SECONDS)
                            .routes())
                    .hasSize(250);
        }
    }

    private DistWorker open(KvNode node) throws Exception {
        DistWorker worker = new DistWorker(
                DistConfig.DEFAULT,
                () -> store.get().client(),
                delivery -> Deliverer.DELIVERED,
                delivery -> {
                    deliveries += delivery.matches().size();
                    return Deliverer.DELIVERED;
                },
                Delayer.NONE,
                EventListener.NONE,
                new SimpleMeterRegistry());
        store.set(node.open(new StoreSpec("dist", worker.coprocessorFactory(), List.of())));
        worker.start();
        node.ready().get(30, TimeUnit.SECONDS);
        return worker;
    }

    private static DistOutcome publish(DistClient client, String topic) {
        ClientInfo publisher = new ClientInfo(TenantId.DEFAULT, new ClientId("p"), null, "127.0.0.1:1", 5);
        Message message = new Message(topic, new byte[0], Qos.AT_LEAST_ONCE, false, 0, MessageProperties.NONE);
        return client.publisher(publisher).publish(message, null).join();
    }

    private static InboxReceiver receiver(int number) {
        return new InboxReceiver(TenantId.DEFAULT, new ClientId("c" + number), number);
    }

    private static TopicFilter filter(String text) {
        return TopicFilter.parse(text).orElseThrow();
    }
}
