package io.godwit.broker.clients;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.api.port.NotServingException;
import io.godwit.api.port.client.ClientFilter.TextPattern;
import io.godwit.api.port.client.ClientReference;
import io.godwit.api.port.client.SessionAdmin;
import io.godwit.api.port.client.SessionView;
import io.godwit.broker.api.BoundedQuestions;
import io.godwit.inbox.client.InboxClient;
import io.godwit.inbox.client.catalog.SessionCatalog;
import io.godwit.inbox.client.catalog.StoredSessionInfo;
import io.godwit.kv.client.Leaders;
import io.godwit.kv.client.RangeException;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Queries of the API about stored sessions; the store's answers come from the test. */
class SessionsOverNodesTest {
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final ClientReference KEY = new ClientReference("default", "c");
    private static final StoredSessionInfo LEFT = new StoredSessionInfo(
            new ClientInfo(TenantId.DEFAULT, new ClientId("c"), null, "10.0.0.1:1", 4),
            false,
            60,
            5_000,
            65_000,
            true,
            2,
            7,
            700,
            3);

    private final MemoryCatalog catalog = new MemoryCatalog();
    private CompletableFuture<Boolean> deleted = CompletableFuture.completedFuture(true);

    private CompletableFuture<Optional<InboxClient.Purged>> purged =
            CompletableFuture.completedFuture(Optional.of(new InboxClient.Purged(7, 3)));

    private final InboxClient inboxes = (InboxClient) Proxy.newProxyInstance(
            getClass().getClassLoader(), new Class<?>[] {InboxClient.class}, (proxy, method, args) -> {
                assertThat(method.getName()).isIn("delete", "purge");
                return method.getName().equals("delete") ? deleted : purged;
            });

    private final SessionsOverNodes sessions = new SessionsOverNodes(catalog, inboxes, Leaders.alone(), "self");

    SessionsOverNodesTest() {
        catalog.page = CompletableFuture.completedFuture(new SessionCatalog.Page(List.of(LEFT), "more"));
        catalog.found = CompletableFuture.completedFuture(Optional.of(LEFT));
    }

    @Test
    void aStoredSessionIsToldWithItsHome() {
        SessionView view = new SessionView("default", "c", "", 4, "self", false, 60, 5_000, 65_000, true, 7, 700, 3, 2);
        SessionAdmin.Filter filter = new SessionAdmin.Filter(
                Optional.of("default"), Optional.of(new TextPattern(TextPattern.Kind.SUBSTRING, "c")), true, 4);
        assertThat(sessions.sessions(filter, null, 10, LONG))
                .isCompletedWithValue(new SessionAdmin.SessionPage(List.of(view), "more"));
        assertThat(catalog.asked).containsExactly(new SessionCatalog.Criteria(TenantId.DEFAULT, "c", false, true, 4));
        assertThat(sessions.session(KEY, LONG)).isCompletedWithValue(Optional.of(view));
        assertThat(sessions.delete(KEY, LONG)).isCompletedWithValue(true);
        assertThat(sessions.purge(KEY, LONG)).isCompletedWithValue(Optional.of(new SessionAdmin.Purged(7, 3)));
    }

    @Test
    void whatCannotBeIsNotThere() {
        ClientReference nobody = new ClientReference("no tenant", "c");
        SessionAdmin.Filter filter = new SessionAdmin.Filter(Optional.of("no tenant"), Optional.empty(), false, 0);
        assertThat(sessions.sessions(filter, null, 10, LONG))
                .isCompletedWithValue(new SessionAdmin.SessionPage(List.of(), null));
        assertThat(sessions.session(nobody, LONG)).isCompletedWithValue(Optional.empty());
        assertThat(sessions.delete(nobody, LONG)).isCompletedWithValue(false);
        assertThat(sessions.purge(nobody, LONG)).isCompletedWithValue(Optional.empty());
        assertThat(catalog.asked).isEmpty();
    }

    @Test
    void aStoreThatDoesNotAnswerIsSaidToAndInTime() {
        catalog.page = CompletableFuture.failedFuture(new RangeException(RangeException.Cause.TIMEOUT, "no leader"));
        catalog.found = new CompletableFuture<>();
        deleted = new CompletableFuture<>();
        purged = new CompletableFuture<>();
        Duration within = Duration.ofMillis(200);
        for (CompletableFuture<?> each : List.of(
                sessions.sessions(SessionAdmin.Filter.ALL, null, 10, within),
                sessions.session(KEY, within),
                sessions.delete(KEY, within),
                sessions.purge(KEY, within))) {
            assertThat(each)
                    .failsWithin(Duration.ofSeconds(10))
                    .withThrowableThat()
                    .withCauseInstanceOf(NotServingException.class)
                    .withMessageContaining("the inbox store does not answer")
                    .withMessageNotContaining("no leader");
        }
        catalog.page = CompletableFuture.failedFuture(new IllegalArgumentException("no cursor"));
        assertThat(sessions.sessions(SessionAdmin.Filter.ALL, "x", 10, within))
                .failsWithin(Duration.ofSeconds(10))
                .withThrowableThat()
                .withCauseInstanceOf(IllegalArgumentException.class);
    }

    private CompletableFuture<SessionAdmin.SessionPage> search(String tenant) {
        SessionAdmin.Filter filter = new SessionAdmin.Filter(Optional.of(tenant), Optional.empty(), false, 0);
        return sessions.sessions(filter, null, 10, LONG);
    }

    @Test
    void moreSearchesThanAFewAreRefused() {
        CompletableFuture<SessionCatalog.Page> slow = new CompletableFuture<>();
        catalog.page = slow;
        for (int i = 0; i < BoundedQuestions.mostOfTenant(SessionsOverNodes.MAX_QUESTIONS); i++) {
            assertThat(search("a")).isNotDone();
        }
        assertThat(search("a")).isCompletedExceptionally();
        assertThat(sessions.sessions(SessionAdmin.Filter.ALL, null, 10, LONG))
                .as("a search that is not about the tenant whose searches are slow")
                .isNotDone();
        assertThat(search("b")).isCompletedExceptionally();
        assertThat(sessions.session(KEY, LONG))
                .as("a question about one session is possible while searches are slow")
                .isCompleted();
        assertThat(sessions.delete(KEY, LONG)).isCompletedWithValue(true);
        slow.complete(new SessionCatalog.Page(List.of(), null));
        assertThat(sessions.sessions(SessionAdmin.Filter.ALL, null, 10, LONG)).isCompleted();
    }

    @Test
    void moreQuestionsAboutOneThanSomeAreRefused() {
        catalog.found = new CompletableFuture<>();
        int mostOfTenant = BoundedQuestions.mostOfTenant(SessionsOverNodes.MAX_SINGLE_QUESTIONS);
        for (int i = 0; i < mostOfTenant; i++) {
            assertThat(sessions.session(KEY, LONG)).isNotDone();
        }
        assertThat(sessions.delete(KEY, LONG)).isCompletedExceptionally();
        ClientReference other = new ClientReference("other", "c");
        assertThat(sessions.delete(other, LONG)).isCompletedWithValue(true);
        for (int i = mostOfTenant; i < SessionsOverNodes.MAX_SINGLE_QUESTIONS; i++) {
            assertThat(sessions.session(other, LONG)).isNotDone();
        }
        assertThat(sessions.delete(other, LONG)).isCompletedExceptionally();
        catalog.found.complete(Optional.empty());
        assertThat(sessions.delete(KEY, LONG)).isCompletedWithValue(true);
    }
}
