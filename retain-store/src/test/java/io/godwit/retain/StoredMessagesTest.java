package io.godwit.retain;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.conformance.Clause;
import io.godwit.kv.KvNode;
import io.godwit.kv.KvNodeConfig;
import io.godwit.kv.KvStore;
import io.godwit.kv.store.StoreSpec;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.event.EventListener;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import io.godwit.retain.client.RetainClient;
import io.godwit.retain.topic.RetainKeys;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The retain store on a real node with log and database. */
@Timeout(60)
class StoredMessagesTest {
    private static final TenantId TENANT = TenantId.DEFAULT;

    @TempDir
    Path data;

    private final AtomicReference<KvStore> ranges = new AtomicReference<>();

    @Test
    @Clause("MQTT31-2.1-6")
    void retainedMessagesAreThereAfterARestart() throws Exception {
        try (KvNode node = KvNode.open(KvNodeConfig.standalone(data));
                RetainStore store = open(node)) {
            List<CompletableFuture<Void>> writes = new ArrayList<>();
            for (int i = 0; i < 500; i++) {
                writes.add(store.client().set(TENANT, message("t/" + i, new byte[] {1})));
            }
            for (int i = 0; i < 500; i += 2) {
                writes.add(store.client().set(TENANT, message("t/" + i, new byte[0])));
            }
            writes.add(store.client().set(TENANT, message("large", new byte[3 << 20])));
            for (CompletableFuture<Void> write : writes) {
                write.get(30, TimeUnit.SECONDS);
            }
            assertThat(topics(store.client(), "t/+")).hasSize(250);
        }
        try (KvNode node = KvNode.open(KvNodeConfig.standalone(data));
                RetainStore store = open(node)) {
            assertThat(topics(store.client(), "t/+"))
                    .hasSize(250)
                    .contains("t/1")
                    .doesNotContain("t/2");
            RetainClient.Page large = store.client()
                    .match(TENANT, filter("large"), null, 10, 1000)
                    .get(30, TimeUnit.SECONDS);
            assertThat(large.messages().get(0).payload()).hasSize(3 << 20);
        }
    }

    private RetainStore open(KvNode node) throws Exception {
        RetainStore store = new RetainStore(
                RetainConfig.DEFAULT,
                () -> ranges.get().client(),
                System::currentTimeMillis,
                EventListener.NONE,
                new SimpleMeterRegistry());
        List<byte[]> cuts = List.of(RetainKeys.key(TENANT, "t/3"));
        ranges.set(node.open(new StoreSpec("retain", store.coprocessorFactory(), cuts)));
        store.start();
        node.ready().get(30, TimeUnit.SECONDS);
        return store;
    }

    private static List<String> topics(RetainClient client, String filter) throws Exception {
        List<String> topics = new ArrayList<>();
        @Nullable String cursor = null;
        do {
            RetainClient.Page page =
                    client.match(TENANT, filter(filter), cursor, 30, 1 << 20).get(30, TimeUnit.SECONDS);
            page.messages().forEach(message -> topics.add(message.topic()));
            cursor = page.cursor();
        } while (cursor != null);
        return topics;
    }

    private static Message message(String topic, byte[] payload) {
        return new Message(topic, payload, Qos.AT_LEAST_ONCE, true, System.currentTimeMillis(), MessageProperties.NONE);
    }

    private static TopicFilter filter(String text) {
        return TopicFilter.parse(text).orElseThrow();
    }
}
