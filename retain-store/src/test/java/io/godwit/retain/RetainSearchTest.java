package io.godwit.retain;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.kv.client.Deadline;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Message;
import io.godwit.retain.client.RetainClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Matches and searches by filters, in pages and over all ranges. */
class RetainSearchTest extends RetainStoreFixture {
    private RetainClient.Page search(String filter, @Nullable String cursor, Deadline deadline) {
        return host.await(client.search(TENANT, filter(filter), cursor, 10, 1_000, deadline));
    }

    @Test
    void aSearchThatFindsNothingInTimeGoesOnWhereItEnded() {
        set("z/x", "1");
        Deadline over = Deadline.afterMillis(0); // each page covers only one range then
        List<String> found = new ArrayList<>();
        int empty = 0;
        String cursor = null;
        do {
            RetainClient.Page page = search("+/x", cursor, over);
            empty += page.messages().isEmpty() ? 1 : 0;
            page.messages().forEach(message -> found.add(message.topic()));
            cursor = page.cursor();
        } while (cursor != null);
        assertThat(found).containsExactly("z/x");
        assertThat(empty).isPositive();
        assertThat(search("+/x", null, Deadline.afterMillis(60_000)).messages()).hasSize(1);
    }

    @Test
    void aCursorOfAnotherSearchIsRefused() {
        set("a/1", "1");
        set("b/1", "1");
        Deadline soon = Deadline.afterMillis(60_000);
        String behind = client.cursorBehind(TENANT, "a/1");
        assertThat(search("#", behind, soon).messages()).hasSize(1);
        assertThat(search("a/+", behind, soon).messages()).isEmpty();
        for (CompletableFuture<?> refused : List.of(
                client.search(TENANT, filter("b/+"), behind, 10, 1_000, soon),
                client.search(new TenantId("other"), filter("#"), behind, 10, 1_000, soon),
                client.search(TENANT, filter("#"), "%%", 10, 1_000, soon))) {
            assertThat(refused)
                    .failsWithin(Duration.ZERO)
                    .withThrowableThat()
                    .withCauseInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void wildcardsAreMatchedOverAllRangesInPages() {
        List<String> expected = new ArrayList<>();
        for (char c = 'a'; c <= 'z'; c++) {
            for (int i = 0; i < 10; i++) {
                set(c + "/" + i + "/x", "1");
                expected.add(c + "/" + i + "/x=1");
            }
            set(c + "/y", "1");
        }
        assertThat(match("+/+/x", 7, 1_000_000)).isEqualTo(expected);
        assertThat(match("+/+/x", 1000, 1_000_000)).isEqualTo(expected);
        assertThat(match("h/#", 3, 1_000_000)).hasSize(11);
        assertThat(match("nothing/#", 3, 1_000_000)).isEmpty();
    }

    @Test
    void aPageEndsAtItsBytesAndHasAtLeastOneMessage() {
        String large = "x".repeat(1000);
        for (String topic : List.of("a", "b", "c", "d")) {
            set(topic, large);
        }
        RetainClient.Page two = host.await(client.match(TENANT, filter("+"), null, 10, 2500));
        assertThat(two.messages()).hasSize(2);
        RetainClient.Page one = host.await(client.match(TENANT, filter("+"), two.cursor(), 10, 1));
        assertThat(one.messages()).extracting(Message::topic).containsExactly("c");
        RetainClient.Page last = host.await(client.match(TENANT, filter("+"), one.cursor(), 10, 1));
        assertThat(last.messages()).extracting(Message::topic).containsExactly("d");
    }

    @Test
    void aCursorSurvivesChangesBetweenPages() {
        for (String topic : List.of("a", "c", "e", "h", "j")) {
            set(topic, "1");
        }
        RetainClient.Page first = host.await(client.match(TENANT, filter("+"), null, 2, 1000));
        assertThat(first.messages()).extracting(Message::topic).containsExactly("a", "c");
        set("c", "");
        set("b", "1");
        set("d", "1");
        set("e", "");

        host.crashAndRestart();
        List<String> rest = new ArrayList<>();
        @Nullable String cursor = first.cursor();
        while (cursor != null) {
            RetainClient.Page page = host.await(client.match(TENANT, filter("+"), cursor, 2, 1000));
            page.messages().forEach(message -> rest.add(message.topic()));
            cursor = page.cursor();
        }
        assertThat(rest).containsExactly("d", "h", "j");
    }

    /** A session that got part of a page continues after that part, in whatever range. */
    @Test
    void aMatchGoesOnBehindAnyOfItsMessages() {
        List<String> topics = List.of("a", "a/\u0001", "a/b", "a/b/c", "a\u0002", "c", "h", "h/i", "x");
        topics.forEach(topic -> set(topic, "1"));
        List<String> inOrder = new ArrayList<>();
        for (String message : match("#")) {
            inOrder.add(message.substring(0, message.indexOf('=')));
        }
        assertThat(inOrder).containsExactlyInAnyOrderElementsOf(topics);
        for (int i = 0; i < inOrder.size(); i++) {
            List<String> rest = new ArrayList<>();
            @Nullable String cursor = client.cursorBehind(TENANT, inOrder.get(i));
            while (cursor != null) {
                RetainClient.Page page = host.await(client.match(TENANT, filter("#"), cursor, 100, 1000));
                page.messages().forEach(message -> rest.add(message.topic()));
                cursor = page.cursor();
            }
            assertThat(rest).isEqualTo(inOrder.subList(i + 1, inOrder.size()));
        }
    }

    @Test
    void aFilterThatMatchesLittleIsAnsweredOverManySteps() {
        for (int i = 0; i < 12_000; i++) {
            client.set(TENANT, message("a/" + i, "1", NO_EXPIRY));
        }
        set("a/last/x", "1");
        assertThat(match("+/+/x")).containsExactly("a/last/x=1");
    }
}
