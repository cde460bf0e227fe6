package io.godwit.inbox.leader;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.inbox.InboxStore;
import io.godwit.inbox.client.AttachRequest;
import io.godwit.inbox.client.StoredSubscription;
import io.godwit.inbox.client.Will;
import io.godwit.inbox.client.catalog.SessionCatalog;
import io.godwit.inbox.client.catalog.SessionCatalog.Criteria;
import io.godwit.inbox.client.catalog.SessionCatalog.Page;
import io.godwit.inbox.client.catalog.SessionCatalog.SubscriptionPage;
import io.godwit.inbox.client.catalog.StoredSessionInfo;
import io.godwit.kv.client.Deadline;
import io.godwit.kv.client.Resend;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The stored sessions as operators see them, in eight ranges. */
class SessionCatalogTest {
    private static final Criteria DETACHED = new Criteria(null, "", true, true, 0);

    private final InboxFixture inbox = new InboxFixture(InboxFixture.LATE_PUSH, 8);
    private final SessionCatalog catalog = InboxStore.catalog(inbox.host, inbox.host::nowMillis);

    @AfterEach
    void close() {
        inbox.close();
    }

    private static Deadline soon() {
        return Deadline.afterMillis(60_000);
    }

    private Page page(Criteria criteria, @Nullable String cursor, int limit) {
        return inbox.host.await(catalog.page(criteria, cursor, limit, soon()));
    }

    private StoredSessionInfo find(String clientId) {
        return inbox.host
                .await(catalog.find(TenantId.DEFAULT, new ClientId(clientId), soon()))
                .orElseThrow();
    }

    private static List<String> ids(Page page) {
        return page.sessions().stream()
                .map(session -> session.client().clientId().value())
                .toList();
    }

    /** All pages. */
    private List<String> all(Criteria criteria, int limit) {
        List<String> ids = new ArrayList<>();
        String cursor = null;
        do {
            Page page = page(criteria, cursor, limit);
            assertThat(page.sessions()).hasSizeLessThanOrEqualTo(limit);
            ids.addAll(ids(page));
            cursor = page.cursor();
        } while (cursor != null);
        return ids;
    }

    @Test
    void sessionsOfAllRangesAreListedInPagesEachOnce() {
        Set<String> expected = new TreeSet<>();
        for (int i = 0; i < 100; i++) {
            inbox.absent("c" + i);
            expected.add("c" + i);
        }
        for (int limit : new int[] {1, 7, 100, 1_000}) {
            assertThat(all(Criteria.ALL, limit)).hasSize(100).containsExactlyInAnyOrderElementsOf(expected);
        }
        assertThat(all(new Criteria(null, "c9", true, true, 0), 3)).hasSize(11);
        assertThat(all(new Criteria(null, "7", false, true, 0), 3)).hasSize(19);
        assertThat(all(new Criteria(TenantId.DEFAULT, "", true, true, 0), 13)).hasSize(100);
        assertThat(all(new Criteria(new TenantId("other"), "", true, true, 0), 13))
                .isEmpty();
    }

    @Test
    void whatComesAndGoesBetweenTwoPagesMovesNobodyElse() {
        Set<String> stay = new TreeSet<>();
        for (int i = 0; i < 60; i++) {
            inbox.absent("c" + i);
            stay.add("c" + i);
        }
        List<String> listed = new ArrayList<>();
        String cursor = null;
        int round = 0;
        do {
            Page page = page(Criteria.ALL, cursor, 4);
            listed.addAll(ids(page));
            cursor = page.cursor();
            String gone = ids(page).get(ids(page).size() - 1); // where the next page continues
            inbox.host.await(inbox.client.delete(TenantId.DEFAULT, new ClientId(gone)));
            inbox.absent("new" + round++);
            inbox.move();
        } while (cursor != null);
        assertThat(listed).doesNotHaveDuplicates().containsAll(stay);
    }

    @Test
    void whatIsStoredOfASessionIsTold() {
        long incarnation = inbox.absent("c");
        long detachedAt = inbox.host.nowMillis();
        for (int i = 0; i < 5; i++) {
            inbox.insert("c", incarnation, inbox.message("12345678", 1));
        }
        StoredSessionInfo session = find("c");
        assertThat(session.isAttached()).isFalse();
        assertThat(session.expirySeconds()).isEqualTo(AttachRequest.NEVER);
        assertThat(session.endsAtMillis()).isEqualTo(Long.MAX_VALUE);
        assertThat(session.detachedAtMillis()).isEqualTo(detachedAt);
        assertThat(session.subscriptions()).isOne();
        assertThat(session.messages()).isEqualTo(5);
        assertThat(session.payloadBytes()).isEqualTo(40);
        assertThat(session.inflight()).isZero();
        assertThat(session.hasWill()).isFalse();
        assertThat(all(new Criteria(null, "", true, true, 5), 10)).containsExactly("c");
        assertThat(all(new Criteria(null, "", true, true, 6), 10)).isEmpty();

        TestConnection connection = inbox.attach("c");
        connection.attachment().request(2);
        inbox.host.runUntilIdle();
        assertThat(find("c").isAttached()).isTrue();
        assertThat(find("c").endsAtMillis()).isEqualTo(Long.MAX_VALUE);
        assertThat(all(DETACHED, 10)).isEmpty();
        assertThat(all(Criteria.ALL, 10)).containsExactly("c");
        inbox.detach(connection, 60, false);
        StoredSessionInfo left = find("c");
        assertThat(left.messages()).isEqualTo(5);
        assertThat(left.inflight()).isBetween(2, 5);
        assertThat(left.expirySeconds()).isEqualTo(60);
        assertThat(left.endsAtMillis()).isEqualTo(inbox.host.nowMillis() + 60_000);
    }

    @Test
    void sessionsThatEndWithTheirConnectionOrHaveEndedAreNone() {
        inbox.attach("clean", true, 0, null);
        TestConnection brief = inbox.attach("brief", false, 10, null);
        inbox.detach(brief);
        assertThat(all(Criteria.ALL, 10)).containsExactly("brief");
        inbox.host.stepWallClock(11_000);
        assertThat(all(Criteria.ALL, 10)).isEmpty();
        assertThat(inbox.host.await(catalog.find(TenantId.DEFAULT, new ClientId("brief"), soon())))
                .isEmpty();
        assertThat(inbox.host.await(catalog.find(TenantId.DEFAULT, new ClientId("nobody"), soon())))
                .isEmpty();
    }

    @Test
    void aDeletedSessionIsGone() {
        inbox.absent("c");
        assertThat(inbox.host.await(inbox.client.delete(TenantId.DEFAULT, new ClientId("c"))))
                .isTrue();
        assertThat(all(Criteria.ALL, 10)).isEmpty();
    }

    @Test
    void aCursorOfAnotherTenantOrOfNothingIsRefused() {
        for (int i = 0; i < 4; i++) {
            inbox.absent("c" + i);
        }
        String cursor = page(Criteria.ALL, null, 1).cursor();
        assertThat(cursor).isNotNull();
        Criteria other = new Criteria(new TenantId("other"), "", true, true, 0);
        List<CompletableFuture<Page>> refused = List.of(
                catalog.page(other, cursor, 10, soon()),
                catalog.page(Criteria.ALL, "%%%", 10, soon()),
                catalog.page(Criteria.ALL, null, 0, soon()),
                catalog.page(Criteria.ALL, null, SessionCatalog.MAX_LIMIT + 1, soon()));
        assertThat(refused).allMatch(CompletableFuture::isCompletedExceptionally);
    }

    @Test
    void aSearchThatFindsNothingInTimeGoesOnWhereItEnded() {
        for (int i = 0; i < 40; i++) {
            inbox.absent("c" + i);
        }
        Criteria last = new Criteria(null, "c39", true, true, 0);
        List<String> found = new ArrayList<>();
        String cursor = null;
        int empty = 0;
        do {
            // the deadline has passed before the call: each page queries one range
            CompletableFuture<Page> asked = catalog.page(last, cursor, 10, Deadline.afterMillis(0));
            Page page = inbox.host.await(asked);
            empty += page.sessions().isEmpty() && page.cursor() != null ? 1 : 0;
            found.addAll(ids(page));
            cursor = page.cursor();
        } while (cursor != null);
        assertThat(found).containsExactly("c39");
        assertThat(empty).isPositive();
    }

    @Test
    void aPageOfLongIdsIsCutAndGoesOn() {
        for (int i = 0; i < 60; i++) {
            inbox.absent(i + "x".repeat(60_000));
        }
        assertThat(page(Criteria.ALL, null, 1_000).sessions()).hasSizeBetween(1, 40);
        assertThat(all(Criteria.ALL, 1_000)).hasSize(60).doesNotHaveDuplicates();
    }

    private SubscriptionPage subscriptions(String clientId, @Nullable String after, int limit) {
        return inbox.host
                .await(catalog.subscriptions(TenantId.DEFAULT, new ClientId(clientId), after, limit, soon()))
                .orElseThrow();
    }

    @Test
    void theSubscriptionsOfASessionAreToldInPages() {
        TestConnection connection = inbox.attach("c");
        List<StoredSubscription> all = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            all.add(new StoredSubscription(
                    TopicFilter.parse((i % 2 == 0 ? "$share/g/t/" : "t/+/") + i).orElseThrow(),
                    Qos.of(i % 3),
                    i % 2 == 1,
                    i % 5 == 0,
                    i % 3,
                    i));
        }
        inbox.host.await(connection.attachment().subscribe(all));
        all.sort(Comparator.comparing(each -> each.filter().text()));
        for (int limit : new int[] {1, 7, 50, 1_000}) {
            List<StoredSubscription> listed = new ArrayList<>();
            SubscriptionPage page = subscriptions("c", null, limit);
            listed.addAll(page.subscriptions());
            while (page.hasMore()) {
                String last = listed.get(listed.size() - 1).filter().text();
                page = subscriptions("c", last, limit);
                listed.addAll(page.subscriptions());
            }
            assertThat(listed).isEqualTo(all);
        }
        assertThat(inbox.host.await(catalog.subscriptions(TenantId.DEFAULT, new ClientId("nobody"), null, 1, soon())))
                .isEmpty();
    }

    @Test
    void aPageOfLongFiltersIsCut() {
        TestConnection connection = inbox.attach("c");
        List<StoredSubscription> all = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            all.add(InboxFixture.subscription("x".repeat(60_000) + i));
        }
        inbox.host.await(connection.attachment().subscribe(all));
        SubscriptionPage page = subscriptions("c", null, 1_000);
        assertThat(page.hasMore()).isTrue();
        assertThat(page.subscriptions()).hasSizeBetween(1, 9);
    }

    @Test
    void whatIsKeptForItsWillIsListedApartAndDiscarded() {
        inbox.absent("client");
        long due = inbox.host.nowMillis() + 100_000;
        for (String id : List.of("\0delayed/1/lamp", "\0delayed/2/lamp", "\0other/3")) {
            Will later = new Will(inbox.message("later/" + id.length(), "soon", 1, -1), 100);
            inbox.host.await(inbox.client.keepWill(InboxFixture.info(id), 100, later, false));
        }
        Criteria kept = Criteria.kept(TenantId.DEFAULT, "\0delayed/");
        assertThat(all(kept, 1)).containsExactlyInAnyOrder("\0delayed/1/lamp", "\0delayed/2/lamp");
        assertThat(all(Criteria.ALL, 10)).containsExactly("client");
        assertThat(page(kept, null, 10).sessions())
                .extracting(StoredSessionInfo::kept)
                .allMatch(will -> will != null
                        && will.topic().equals("later/15")
                        && will.qos() == 1
                        && will.payloadBytes() == 4
                        && will.dueAtMillis() == due);

        ClientId first = new ClientId("\0delayed/1/lamp");
        assertThat(inbox.host.await(inbox.client.discard(TenantId.DEFAULT, first, Resend.ALWAYS)))
                .isTrue();
        assertThat(inbox.host.await(inbox.client.discard(TenantId.DEFAULT, first, Resend.ALWAYS)))
                .isFalse();
        assertThat(inbox.dropped("purged")).isEqualTo(1);
        inbox.crash(0);
        assertThat(all(kept, 10)).containsExactly("\0delayed/2/lamp");
        inbox.host.advanceMillis(100_000);
        inbox.host.runUntilIdle();
        assertThat(inbox.published).hasSize(2);
        assertThat(all(kept, 10)).isEmpty();
    }

    @Test
    void aSessionWithoutAWillIsNotDiscarded() {
        inbox.absent("client");
        assertThat(inbox.host.await(inbox.client.discard(TenantId.DEFAULT, new ClientId("client"), Resend.ALWAYS)))
                .isFalse();
        assertThat(all(Criteria.ALL, 10)).containsExactly("client");
    }
}
