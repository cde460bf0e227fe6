package io.godwit.mqtt.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClientPageTest {
    private static ClientPage<ConnectedClient> page(@Nullable String next, String... ids) {
        return new ClientPage<>(
                Stream.of(ids).map(id -> new FakeClient(id).describe()).toList(),
                next == null ? null : FakeClient.key(next));
    }

    private static List<String> ids(ClientPage<ConnectedClient> page) {
        return page.entries().stream()
                .map(client -> client.info().clientId().value())
                .toList();
    }

    @Test
    void allOfCompleteListsComeInOneOrder() {
        ClientPage<ConnectedClient> merged = ClientPage.merged(List.of(page(null, "b", "d"), page(null, "a", "c")), 10);
        assertThat(ids(merged)).containsExactly("a", "b", "c", "d");
        assertThat(merged.next()).isNull();
    }

    @Test
    void whatAnotherListMayHaveMoreInFrontOfIsLeftForTheNextPage() {
        ClientPage<ConnectedClient> merged = ClientPage.merged(List.of(page("c", "a", "c"), page(null, "b", "z")), 10);
        assertThat(ids(merged)).containsExactly("a", "b", "c");
        assertThat(merged.next()).isEqualTo(FakeClient.key("c"));
    }

    @Test
    void aListThatHasFoundNothingYetHoldsTheOthersUp() {
        ClientPage<ConnectedClient> merged = ClientPage.merged(List.of(page("b"), page(null, "a", "d")), 10);
        assertThat(ids(merged)).containsExactly("a");
        assertThat(merged.next()).isEqualTo(FakeClient.key("b"));
    }

    @Test
    void beyondTheLimitThePageGoesOnBehindItsLast() {
        ClientPage<ConnectedClient> merged = ClientPage.merged(List.of(page(null, "b", "d"), page("c", "a", "c")), 2);
        assertThat(ids(merged)).containsExactly("a", "b");
        assertThat(merged.next()).isEqualTo(FakeClient.key("b"));
    }

    @Test
    void ofTwoConnectionsOfOneClientTheNewerOneCounts() {
        ClientPage<ConnectedClient> older = new ClientPage<>(List.of(new FakeClient("a", 5).describe()), null);
        ClientPage<ConnectedClient> newer = new ClientPage<>(List.of(new FakeClient("a", 6).describe()), null);
        for (List<ClientPage<ConnectedClient>> pages : List.of(List.of(older, newer), List.of(newer, older))) {
            assertThat(ClientPage.merged(pages, 1).entries())
                    .singleElement()
                    .extracting(ConnectedClient::connectedAtMillis)
                    .isEqualTo(6L);
            assertThat(ClientPage.merged(pages, 1).next()).isNull();
        }
    }

    /** For any lists, and wherever each of them stops, the pages have each client once and in order. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void pageAfterPageTheListIsComplete(long seed) {
        Random random = new Random(seed);
        Set<String> all = new TreeSet<>();
        List<List<String>> lists = List.of(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        for (int i = 0; i < 200; i++) {
            String id = Integer.toString(random.nextInt(1_000), 36);
            if (all.add(id)) {
                lists.get(random.nextInt(lists.size())).add(id);
            }
        }
        lists.forEach(list -> list.sort(Comparator.naturalOrder()));
        List<String> listed = new ArrayList<>();
        String after = "";
        int pages = 0;
        while (true) {
            List<ClientPage<ConnectedClient>> parts = new ArrayList<>();
            for (List<String> list : lists) {
                parts.add(part(list, after, 1 + random.nextInt(20)));
            }
            ClientPage<ConnectedClient> merged = ClientPage.merged(parts, 1 + random.nextInt(10));
            listed.addAll(ids(merged));
            ClientKey next = merged.next();
            if (next == null) {
                break;
            }
            assertThat(next.clientId().value()).isGreaterThan(after);
            after = next.clientId().value();
            pages++;
        }
        assertThat(listed).containsExactlyElementsOf(all);
        assertThat(pages).isGreaterThan(10);
    }

    private static ClientPage<ConnectedClient> part(List<String> list, String after, int most) {
        List<String> rest = list.stream().filter(id -> id.compareTo(after) > 0).toList();
        List<String> part = rest.subList(0, Math.min(most, rest.size()));
        return page(part.size() < rest.size() ? part.get(part.size() - 1) : null, part.toArray(String[]::new));
    }
}
