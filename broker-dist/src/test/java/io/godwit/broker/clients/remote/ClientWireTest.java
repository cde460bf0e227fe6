package io.godwit.broker.clients.remote;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.broker.clients.node.MemoryClients;
import io.godwit.broker.clients.wire.Client;
import io.godwit.broker.clients.wire.Criteria;
import io.godwit.broker.clients.wire.PageAnswer;
import io.godwit.inbox.client.catalog.IdPattern;
import io.godwit.mqtt.client.AddressPattern;
import io.godwit.mqtt.client.ClientCriteria;
import io.godwit.mqtt.client.ClientKey;
import io.godwit.mqtt.client.ClientPage;
import io.godwit.mqtt.client.ConnectedClient;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ClientWireTest {
    private static ConnectedClient large(int number) {
        String name = "\u20AC".repeat(21_000); // 63,000 bytes
        ClientInfo info =
                new ClientInfo(TenantId.DEFAULT, new ClientId(String.format("%03d", number) + name), name, "x:1", 4);
        return new ConnectedClient(info, "ws [::]:80", false, 0, 0, 1L << 40, 65_535, 1_000_000, 2_000_000, 3);
    }

    @Test
    void aClientIsTheSameBehindTheWire() throws Exception {
        ClientInfo nameless = new ClientInfo(new TenantId("t-2"), new ClientId("\uD83D\uDE00"), null, "", 3);
        for (ConnectedClient client : List.of(
                MemoryClients.client("c", 7),
                large(1),
                new ConnectedClient(nameless, "", true, 0xFFFF_FFFEL, 65_535, 0, 0, 0, 0, 0))) {
            byte[] bytes = ClientWire.client(client).toByteArray();
            assertThat(ClientWire.client(Client.parseFrom(bytes))).isEqualTo(client);
        }
    }

    @Test
    void criteriaAreTheSameBehindTheWire() throws Exception {
        for (ClientCriteria criteria : List.of(
                ClientCriteria.ALL,
                new ClientCriteria(
                        new TenantId("t"), new IdPattern("x", false), "", new AddressPattern("::1"), 4, 1L << 40),
                new ClientCriteria(null, new IdPattern("y", true), "ann", null, 0, 0))) {
            byte[] bytes = ClientWire.criteria(criteria).toByteArray();
            assertThat(ClientWire.criteria(Criteria.parseFrom(bytes))).isEqualTo(criteria);
        }
    }

    @Test
    void anAnswerEndsWhereItBecomesTooLargeAndTheNextGoesOnThere() throws Exception {
        List<ConnectedClient> all = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            all.add(large(i));
        }
        List<ConnectedClient> received = new ArrayList<>();
        ClientKey after = null;
        int answers = 0;
        while (answers == 0 || after != null) {
            int from = received.size();
            byte[] bytes = ClientWire.pageAnswer(new ClientPage<>(all.subList(from, all.size()), null))
                    .toByteArray();
            assertThat(bytes.length).isLessThanOrEqualTo(ClientWire.MAX_ANSWER_BYTES + 1_024 + 64 * 1_024);
            ClientPage<ConnectedClient> page =
                    ClientWire.page(PageAnswer.parseFrom(bytes), ClientCriteria.ALL, after, 1_000);
            received.addAll(page.entries());
            after = page.next();
            answers++;
        }
        assertThat(received).isEqualTo(all);
        assertThat(answers).isBetween(4, 8);
    }
}
