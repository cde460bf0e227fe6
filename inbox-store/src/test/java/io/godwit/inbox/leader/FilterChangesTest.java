package io.godwit.inbox.leader;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.inbox.client.InboxClient.FilterChange;
import io.godwit.inbox.client.InboxClient.FilterChange.Outcome;
import io.godwit.inbox.client.StoredSubscription;
import io.godwit.inbox.client.Will;
import io.godwit.kv.client.Resend;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** An operator changes the filters of sessions that have no connection. */
class FilterChangesTest {
    private static final TopicFilter ADDED = new TopicFilter(null, "added/#");
    private static final TopicFilter FIRST = new TopicFilter(null, "t/#");

    private final InboxFixture store = new InboxFixture();

    @AfterEach
    void close() {
        store.close();
    }

    private FilterChange change(String clientId, List<StoredSubscription> added, List<TopicFilter> removed) {
        return store.host.await(store.client.changeFilters(
                TenantId.DEFAULT, new ClientId(clientId), true, added, removed, Resend.ALWAYS));
    }

    private static StoredSubscription subscription(int retainHandling) {
        return new StoredSubscription(ADDED, Qos.AT_LEAST_ONCE, false, false, retainHandling, 0);
    }

    @Test
    void whatIsAddedIsThereAfterACrashAndOwedItsRetainedMessages() {
        long incarnation = store.absent("a");
        FilterChange change = change("a", List.of(subscription(0)), List.of());
        assertThat(change).isEqualTo(new FilterChange(Outcome.DONE, incarnation, 0, List.of(true)));
        assertThat(change("a", List.of(subscription(1)), List.of()).flags()).containsExactly(false);
        store.crash(0);
        TestConnection back = store.attach("a");
        assertThat(back.reply.sessionPresent()).isTrue();
        assertThat(back.reply.subscriptions())
                .extracting(StoredSubscription::filter)
                .containsExactlyInAnyOrder(FIRST, ADDED);
        assertThat(back.reply.subscriptions())
                .filteredOn(each -> each.filter().equals(ADDED))
                .allMatch(StoredSubscription::isOwedRetained);
    }

    @Test
    void whatIsRemovedIsGoneAfterACrash() {
        store.absent("a");
        TopicFilter unknown = new TopicFilter(null, "unknown");
        assertThat(change("a", List.of(), List.of(FIRST, unknown)).flags()).containsExactly(true, false);
        store.crash(0);
        assertThat(store.attach("a").reply.subscriptions()).isEmpty();
    }

    /** Will and expiry stay as the client has set them. */
    @Test
    void theWillComesAtItsTimeAndTheSessionEndsAtItsTime() {
        Will will = new Will(store.message("w/1", "will", 1, -1), 5);
        store.detach(store.attach("a", false, 10, will), -1, true);
        store.host.advanceMillis(3_000);
        assertThat(change("a", List.of(subscription(0)), List.of()).outcome()).isEqualTo(Outcome.DONE);
        assertThat(store.published).isEmpty();
        store.host.advanceMillis(2_500);
        store.host.runUntilIdle();
        assertThat(store.published).hasSize(1);
        store.host.advanceMillis(5_000);
        assertThat(change("a", List.of(), List.of(ADDED)).outcome()).isEqualTo(Outcome.NO_SESSION);
    }

    @Test
    void aSessionThatIsConnectedOrNotStoredIsLeftAlone() {
        TestConnection connected = store.attach("a");
        assertThat(change("a", List.of(subscription(0)), List.of())).isEqualTo(held());
        store.detach(connected);
        assertThat(store.attach("a").reply.subscriptions()).isEmpty();
        assertThat(change("nobody", List.of(subscription(0)), List.of()).outcome())
                .isEqualTo(Outcome.NO_SESSION);
    }

    private static FilterChange held() {
        return new FilterChange(Outcome.HELD, 0, 0, List.of());
    }
}
