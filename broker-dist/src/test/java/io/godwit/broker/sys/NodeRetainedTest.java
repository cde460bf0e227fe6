package io.godwit.broker.sys;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import io.godwit.retain.client.RetainClient;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Two nodes on one store. */
class NodeRetainedTest {
    private static final int PLENTY = 1_000;

    private final TreeMap<String, Message> stored = new TreeMap<>();
    private final NodeRetained one = new NodeRetained(new Stored());
    private final NodeRetained other = new NodeRetained(new Stored());

    @Test
    void eachNodeHasItsOwnValues() {
        one.setOwn(TenantId.DEFAULT, message("$SYS/broker/uptime", "1"));
        other.setOwn(TenantId.DEFAULT, message("$SYS/broker/uptime", "2"));

        assertThat(read(one, "$SYS/#", PLENTY)).containsExactly("$SYS/broker/uptime=1");
        assertThat(read(other, "$SYS/broker/uptime", PLENTY)).containsExactly("$SYS/broker/uptime=2");
        assertThat(read(one, "#", PLENTY)).isEmpty();
        assertThat(stored).isEmpty();
    }

    @Test
    void pagesGoOnBehindTheOwnValuesInTheStore() {
        for (String name : List.of("a", "b", "c")) {
            one.setOwn(TenantId.DEFAULT, message("$SYS/broker/" + name, name));
        }
        stored.put("$SYS/brokers", message("$SYS/brokers", "of a client"));
        stored.put("$SYS/x", message("$SYS/x", "of a client"));

        for (int atOnce = 1; atOnce <= 4; atOnce++) {
            assertThat(read(one, "$SYS/#", atOnce))
                    .as("pages of %s", atOnce)
                    .containsExactly(
                            "$SYS/broker/a=a",
                            "$SYS/broker/b=b",
                            "$SYS/broker/c=c",
                            "$SYS/brokers=of a client",
                            "$SYS/x=of a client");
        }
    }

    @Test
    void anotherNodeGoesOnBehindAValue() {
        one.setOwn(TenantId.DEFAULT, message("$SYS/broker/a", "1"));
        other.setOwn(TenantId.DEFAULT, message("$SYS/broker/a", "2"));
        other.setOwn(TenantId.DEFAULT, message("$SYS/broker/b", "3"));

        String cursor = one.cursorBehind(TenantId.DEFAULT, "$SYS/broker/a");

        assertThat(readFrom(other, "$SYS/#", cursor, PLENTY)).containsExactly("$SYS/broker/b=3");
    }

    /** Such a message has the same cursor as one of the node's own, which would make a reader loop for ever. */
    @Test
    void whatSomebodyStoredInPlaceOfAValueIsNotGiven() {
        stored.put("$SYS/broker/mine", message("$SYS/broker/mine", "x"));
        stored.put("$SYS/z", message("$SYS/z", "y"));

        assertThat(read(one, "$SYS/#", 1)).containsExactly("$SYS/z=y");
    }

    @Test
    void aTenantHasValuesOfItsOwn() {
        NodeRetained node = new NodeRetained(new Stored(), true);
        TenantId birds = new TenantId("birds");
        node.setOwn(TenantId.DEFAULT, message("$SYS/broker/a", "of the node"));
        node.setOwn(birds, message("$SYS/broker/a", "of birds"));

        assertThat(read(node, "$SYS/#", PLENTY)).containsExactly("$SYS/broker/a=of the node");
        assertThat(read(node, birds, "$SYS/#", null, PLENTY)).containsExactly("$SYS/broker/a=of birds");
        assertThat(read(node, new TenantId("fish"), "$SYS/#", null, PLENTY)).isEmpty();
        String cursor = node.cursorBehind(birds, "$SYS/broker/a");
        assertThat(read(node, birds, "$SYS/#", cursor, PLENTY)).isEmpty();

        node.clearOwn(birds);
        assertThat(read(node, birds, "$SYS/#", null, PLENTY)).isEmpty();
        assertThat(read(node, "$SYS/#", PLENTY)).hasSize(1);
    }

    /** What a client of another tenant has there, where tenants have no values, is its own. */
    @Test
    void whereTenantsHaveNoValuesTheStoreHasTheirs() {
        stored.put("$SYS/broker/mine", message("$SYS/broker/mine", "x"));
        assertThat(read(one, new TenantId("birds"), "$SYS/#", null, 1)).containsExactly("$SYS/broker/mine=x");
    }

    @Test
    void aClearedValueIsGone() {
        one.setOwn(TenantId.DEFAULT, message("$SYS/broker/a", "1"));
        one.setOwn(TenantId.DEFAULT, message("$SYS/broker/a", ""));

        assertThat(read(one, "$SYS/#", PLENTY)).isEmpty();
    }

    private static List<String> read(NodeRetained node, String filter, int atOnce) {
        return readFrom(node, filter, null, atOnce);
    }

    private static List<String> readFrom(NodeRetained node, String filter, @Nullable String from, int atOnce) {
        return read(node, TenantId.DEFAULT, filter, from, atOnce);
    }

    private static List<String> read(
            NodeRetained node, TenantId tenant, String filter, @Nullable String from, int atOnce) {
        List<String> all = new ArrayList<>();
        @Nullable String cursor = from;
        for (int pages = 0; pages < PLENTY; pages++) {
            RetainClient.Page page = node.match(tenant, new TopicFilter(null, filter), cursor, atOnce, 1 << 20)
                    .join();
            page.messages()
                    .forEach(message ->
                            all.add(message.topic() + "=" + new String(message.payload(), StandardCharsets.UTF_8)));
            cursor = page.cursor();
            if (cursor == null) {
                return all;
            }
        }
        throw new AssertionError("pages without end: " + all);
    }

    private static Message message(String topic, String payload) {
        return new Message(
                topic, payload.getBytes(StandardCharsets.UTF_8), Qos.AT_MOST_ONCE, true, 5, MessageProperties.NONE);
    }

    private final class Stored implements RetainClient {
        @Override
        public CompletableFuture<Void> set(TenantId tenant, Message message) {
            stored.put(message.topic(), message);
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public CompletableFuture<Void> setRecorded(
                TenantId tenant, Message message, String origin, long number, long decidedAtMillis) {
            return set(tenant, message);
        }

        @Override
        public void finished(TenantId tenant, String topic, String origin, long number) {}

        @Override
        public CompletableFuture<Page> match(
                TenantId tenant, TopicFilter filter, @Nullable String cursor, int maxMessages, int maxBytes) {
            List<Message> page = stored.tailMap(cursor == null ? "" : cursor, false).values().stream()
                    .filter(message -> filter.matches(message.topic()))
                    .limit(maxMessages)
                    .toList();
            return CompletableFuture.completedFuture(new Page(
                    page, page.isEmpty() ? null : page.get(page.size() - 1).topic()));
        }

        @Override
        public String cursorBehind(TenantId tenant, String topic) {
            return topic;
        }
    }
}
