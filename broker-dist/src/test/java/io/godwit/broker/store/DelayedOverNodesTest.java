package io.godwit.broker.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.broker.api.BoundedQuestions;
import io.godwit.inbox.client.InboxClient;
import io.godwit.inbox.client.OriginDigest;
import io.godwit.inbox.client.SessionOwner;
import io.godwit.inbox.client.catalog.SessionCatalog;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What operators do with messages that are kept for later; the store's answers come from the test. */
class DelayedOverNodesTest {
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final String REAL = "\0delayed/token.7." + OriginDigest.of("o") + "/pub";

    private final List<String> calls = new ArrayList<>();
    private SessionOwner owner = SessionOwner.SAME_USER;
    private final InboxClient inboxes = (InboxClient) Proxy.newProxyInstance(
            getClass().getClassLoader(), new Class<?>[] {InboxClient.class}, (proxy, method, args) -> {
                calls.add(method.getName());
                return CompletableFuture.completedFuture(
                        switch (method.getName()) {
                            case "owner" -> owner;
                            case "distributed" -> null;
                            case "discard" -> true;
                            default -> throw new AssertionError(method.getName());
                        });
            });
    private final CompletableFuture<SessionCatalog.Page> page = new CompletableFuture<>();
    private final SessionCatalog catalog = (SessionCatalog) Proxy.newProxyInstance(
            getClass().getClassLoader(), new Class<?>[] {SessionCatalog.class}, (proxy, method, args) -> {
                assertThat(method.getName()).isEqualTo("page");
                return page;
            });
    private final DelayedOverNodes delayed = new DelayedOverNodes(
            catalog, inboxes, new DelayedMessages(() -> inboxes, new DelayedRoom(() -> 0, tenant -> 0, 10)));

    private CompletableFuture<Boolean> discard(String keeper) {
        String id = Base64.getUrlEncoder().withoutPadding().encodeToString(keeper.getBytes(StandardCharsets.UTF_8));
        return delayed.discard("default", id, LONG);
    }

    @Test
    void itIsOnRecordAsDistributedBeforeItIsDiscarded() {
        assertThat(discard(REAL)).isCompletedWithValue(true);
        assertThat(calls).containsExactly("owner", "distributed", "discard");
    }

    /** Otherwise a message that its publisher has yet to send would count as distributed, and be dropped. */
    @Test
    void aMadeUpIdMarksNothingAsDistributed() {
        owner = SessionOwner.NO_SESSION;
        assertThat(discard(REAL)).isCompletedWithValue(false);
        assertThat(calls).containsExactly("owner");
    }

    @Test
    void whatIsNoIdAsksNobody() {
        for (String keeper : List.of("\0delayed/token.1\"\n2026-01-01 INFO forged", "\0delayed/x/y", "client")) {
            assertThat(discard(keeper)).as(keeper).isCompletedWithValue(false);
        }
        assertThat(delayed.discard("default", "no base64!", LONG)).isCompletedWithValue(false);
        assertThat(calls).isEmpty();
    }

    @Test
    void searchesKeepNobodyFromOneMessage() {
        for (int i = 0; i < BoundedQuestions.mostOfTenant(DelayedOverNodes.MAX_QUESTIONS); i++) {
            assertThat(delayed.delayed("default", Optional.empty(), null, 10, LONG))
                    .isNotDone();
        }
        assertThat(delayed.count("default", Optional.empty(), LONG)).isCompletedExceptionally();
        assertThat(delayed.count("other", Optional.empty(), LONG)).isNotDone();
        assertThat(delayed.count("third", Optional.empty(), LONG)).isCompletedExceptionally();
        assertThat(discard(REAL)).isCompletedWithValue(true);
        page.complete(new SessionCatalog.Page(List.of(), null));
        assertThat(delayed.delayed("default", Optional.empty(), null, 10, LONG)).isCompleted();
    }
}
