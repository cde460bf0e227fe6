package io.godwit.broker.messages;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.api.port.NotAllowedException;
import io.godwit.api.port.NotServingException;
import io.godwit.api.port.Page;
import io.godwit.api.port.message.RetainedAdmin.Cleared;
import io.godwit.api.port.message.RetainedAdmin.RetainedView;
import io.godwit.api.port.message.RetainedAdmin.WrongCursorException;
import io.godwit.broker.api.BoundedQuestions;
import io.godwit.kv.client.Deadline;
import io.godwit.kv.client.RangeException;
import io.godwit.mqtt.topic.TopicRules;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import io.godwit.retain.client.RetainClient;
import io.godwit.testing.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Retained messages as operators see them, over a store in memory. */
class RetainedOverNodesTest {
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final TopicRules RULES = new TopicRules(List.of(), List.of(), false, 0, true);

    private final Store store = new Store();
    private final RetainedOverNodes retained = new RetainedOverNodes(store, RULES, () -> 99);

    /** The messages of the tenant "default"; the cursor is the last topic returned. */
    private static final class Store implements RetainClient {
        final NavigableMap<String, Message> messages = new TreeMap<>();
        final List<String> cursors = new ArrayList<>();
        /** Answers searches, when it is set. */
        @Nullable
        CompletableFuture<RetainClient.Page> prescribed;
        /** The number of the first set that fails. */
        int failsFrom = Integer.MAX_VALUE;

        int sets;

        void put(String topic, int bytes) {
            messages.put(
                    topic, new Message(topic, new byte[bytes], Qos.AT_LEAST_ONCE, true, 1_000, MessageProperties.NONE));
        }

        @Override
        public CompletableFuture<Void> set(TenantId tenant, Message message) {
            assertThat(message.payload()).isEmpty();
            if (++sets >= failsFrom) {
                return CompletableFuture.failedFuture(new RangeException(RangeException.Cause.TIMEOUT, "no leader"));
            }
            messages.remove(message.topic());
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public CompletableFuture<Void> setRecorded(
                TenantId tenant, Message message, String origin, long number, long decidedAtMillis) {
            throw new AssertionError("setRecorded");
        }

        @Override
        public void finished(TenantId tenant, String topic, String origin, long number) {
            throw new AssertionError("finished");
        }

        @Override
        public CompletableFuture<RetainClient.Page> match(
                TenantId tenant, TopicFilter filter, @Nullable String cursor, int maxMessages, int maxBytes) {
            throw new AssertionError("an operator's search is one that can go on");
        }

        @Override
        public CompletableFuture<RetainClient.Page> search(
                TenantId tenant,
                TopicFilter filter,
                @Nullable String cursor,
                int maxMessages,
                int maxBytes,
                Deadline deadline) {
            assertThat(maxBytes).isEqualTo(RetainedOverNodes.MAX_PAGE_BYTES);
            cursors.add(String.valueOf(cursor));
            CompletableFuture<RetainClient.Page> answer = prescribed;
            if (answer != null) {
                return answer;
            }
            List<Message> page = messages.tailMap(cursor == null ? "" : cursor, false).values().stream()
                    .filter(message -> tenant.equals(TenantId.DEFAULT) && filter.matches(message.topic()))
                    .limit(maxMessages)
                    .toList();
            return CompletableFuture.completedFuture(new RetainClient.Page(
                    page,
                    page.size() < maxMessages ? null : page.get(page.size() - 1).topic()));
        }

        @Override
        public String cursorBehind(TenantId tenant, String topic) {
            return topic;
        }
    }

    private Page<RetainedView, String> page(String filter, @Nullable String cursor, int limit) {
        return retained.retained("default", filter, cursor, limit, LONG).join();
    }

    private static void failsWith(CompletableFuture<?> asked, Class<? extends Exception> kind) {
        assertThat(asked)
                .failsWithin(Duration.ofSeconds(60))
                .withThrowableThat()
                .withCauseInstanceOf(kind);
    }

    @Test
    void messagesAreListedInPages() {
        store.put("a/1", 1);
        store.put("a/2", 2);
        store.put("b", 3);
        Page<RetainedView, String> first = page("a/+", null, 1);
        assertThat(first.items()).containsExactly(new RetainedView("a/1", 1, 1, 1_000, -1));
        Page<RetainedView, String> second = page("a/+", first.next(), 10);
        assertThat(second.items()).extracting(RetainedView::topic).containsExactly("a/2");
        assertThat(second.next()).isNull();
        assertThat(retained.retained("no tenant", "#", null, 10, LONG).join().items())
                .isEmpty();
    }

    @Test
    void aPageWithoutMessagesGoesOn() {
        store.prescribed = CompletableFuture.completedFuture(new RetainClient.Page(List.of(), "behind"));
        assertThat(page("#", null, 10)).isEqualTo(new Page<>(List.of(), "behind"));
        failsWith(retained.message("default", "a", LONG), NotServingException.class);
    }

    @Test
    void aCursorOfWhatTheNodeTellsOfItselfIsOfTheAlphabetOfUrls() {
        store.prescribed = CompletableFuture.completedFuture(new RetainClient.Page(List.of(), "own:$SYS/broker/a"));
        String cursor = page("$SYS/#", null, 10).next();
        assertThat(cursor).matches("[A-Za-z0-9_.-]+");
        page("$SYS/#", cursor, 10);
        assertThat(store.cursors).containsExactly("null", "own:$SYS/broker/a");
    }

    @Test
    void whatIsNoFilterTopicCursorOrLimitIsRefused() {
        for (String filter : List.of("", "a/#/b", "$share/g/a", "$exclusive/a", "x".repeat(65_536))) {
            failsWith(retained.retained("default", filter, null, 10, LONG), IllegalArgumentException.class);
        }
        failsWith(retained.retained("default", "#", null, 1_001, LONG), IllegalArgumentException.class);
        failsWith(retained.message("default", "a/+", LONG), IllegalArgumentException.class);
        failsWith(retained.retained("default", "#", "own.%", 10, LONG), WrongCursorException.class);
        store.prescribed = CompletableFuture.failedFuture(new IllegalArgumentException("no cursor"));
        failsWith(retained.retained("default", "#", "x", 10, LONG), WrongCursorException.class);
    }

    @Test
    void oneIsFoundAndCleared() {
        store.put("a", 1);
        assertThat(retained.message("default", "a", LONG).join()).isPresent();
        assertThat(retained.message("default", "b", LONG)).isCompletedWithValue(Optional.empty());
        assertThat(retained.clear("default", "a", LONG)).isCompletedWithValue(true);
        assertThat(retained.clear("default", "a", LONG)).isCompletedWithValue(false);
        assertThat(store.sets).isOne();
        failsWith(retained.clear("default", "$SYS/broker/a", LONG), NotAllowedException.class);
    }

    @Test
    void thoseThatMatchAreClearedButTheBrokersOwn() {
        for (int i = 100; i < 400; i++) {
            store.put("a/" + i, 1);
        }
        store.put("$SYS/broker/x", 1);
        Cleared first =
                retained.clearMatching("default", "a/+", null, 250, LONG).join();
        assertThat(first).isEqualTo(new Cleared(250, "a/349"));
        assertThat(retained.clearMatching("default", "a/+", first.next(), 250, LONG))
                .isCompletedWithValue(new Cleared(50, null));
        assertThat(retained.clearMatching("default", "$SYS/#", null, 250, LONG))
                .isCompletedWithValue(new Cleared(0, null));
        assertThat(store.messages).containsOnlyKeys("$SYS/broker/x");
    }

    @Test
    void whatWasClearedBeforeAFailureIsToldAndTheRestGoesOnThere() {
        for (int i = 100; i < 400; i++) {
            store.put("a/" + i, 1);
        }
        store.failsFrom = 150;
        assertThat(retained.clearMatching("default", "a/+", null, 300, LONG))
                .isCompletedWithValue(new Cleared(100, "a/199"));
        store.failsFrom = 1;
        failsWith(retained.clearMatching("default", "a/+", "a/199", 300, LONG), NotServingException.class);
        assertThat(RetainedOverNodes.GROUP).isEqualTo(100);
    }

    @Test
    void aStoreThatDoesNotAnswerIsSaidToInTimeAndOnlyFewAreAsked() {
        store.prescribed = new CompletableFuture<>();
        List<CompletableFuture<?>> waiting = new ArrayList<>();
        Await.until("one that is refused at once", () -> {
            CompletableFuture<?> asked = retained.retained("default", "#", null, 10, Duration.ofMillis(300));
            waiting.add(asked);
            return asked.isCompletedExceptionally();
        });
        assertThat(waiting).hasSizeGreaterThan(BoundedQuestions.mostOfTenant(RetainedOverNodes.MAX_QUESTIONS));
        CompletableFuture<?> ofAnother = retained.retained("other", "#", null, 10, Duration.ofMillis(300));
        assertThat(ofAnother)
                .as("a search of another tenant is possible meanwhile")
                .isNotDone();
        waiting.add(ofAnother);
        CompletableFuture<?> single = retained.message("default", "a", Duration.ofMillis(300));
        assertThat(single)
                .as("a question about one message is possible while searches are slow")
                .isNotDone();
        waiting.add(single);
        waiting.forEach(each -> failsWith(each, NotServingException.class));
        store.prescribed = null;
        assertThat(retained.message("default", "a", LONG)).isCompletedWithValue(Optional.empty());
    }
}
