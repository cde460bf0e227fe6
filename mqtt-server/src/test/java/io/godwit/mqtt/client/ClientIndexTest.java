package io.godwit.mqtt.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class ClientIndexTest {
    private final ClientIndex index = new ClientIndex();

    private static FakeClient added(ClientIndex index, String clientId) {
        FakeClient client = new FakeClient(clientId);
        index.add(client);
        return client;
    }

    @Test
    void clientsAreInTheOrderOfTheirIdsWhereverOneBegins() {
        List.of("b", "a", "c", "B", "bb").forEach(id -> added(index, id));
        assertThat(index.after(null))
                .extracting(c -> c.client().clientId().value())
                .containsExactly("B", "a", "b", "bb", "c");
        assertThat(index.after(FakeClient.key("b")))
                .extracting(c -> c.client().clientId().value())
                .containsExactly("bb", "c");
        assertThat(index.after(FakeClient.key("ba")))
                .extracting(c -> c.client().clientId().value())
                .containsExactly("bb", "c");
        assertThat(index.after(FakeClient.key("z"))).isEmpty();
    }

    /** In a takeover the earlier connection may leave after the next one has come. */
    @Test
    void anEarlierConnectionThatLeavesLateLeavesTheNextOneThere() {
        FakeClient earlier = added(index, "c");
        FakeClient next = added(index, "c");
        index.remove(earlier);
        assertThat(index.find(FakeClient.key("c"))).isSameAs(next);
        assertThat(index.size()).isOne();
        index.remove(next);
        index.remove(next);
        assertThat(index.find(FakeClient.key("c"))).isNull();
        assertThat(index.size()).isZero();
    }
}
