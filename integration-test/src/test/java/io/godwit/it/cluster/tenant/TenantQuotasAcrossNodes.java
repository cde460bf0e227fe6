package io.godwit.it.cluster.tenant;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.client.TestClient;
import io.godwit.it.cluster.NodeClients;
import io.godwit.it.wire.Packet;
import io.godwit.testing.Await;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Quotas of a tenant hold for all nodes together, a second later. */
@Timeout(120)
abstract class TenantQuotasAcrossNodes extends TenantClients {
    private static final int QUOTA_EXCEEDED = 0x97;

    /** The answer to one more client, which does not stay. */
    private int answer(int node) throws IOException {
        TestClient more = clients.unconnected(config(node, "gulls", "more").withCleanSession());
        int code = more.connect().code();
        more.disconnect();
        return code;
    }

    @Test
    void clientsOfAllNodesCountTogether() throws Exception {
        List<TestClient> gulls = new ArrayList<>();
        for (int i = 0; i < NODES; i++) {
            gulls.add(clean(i, "gulls", "gull-" + i));
        }
        for (int i = 0; i < NODES; i++) {
            int node = i;
            Await.until("node " + node + " lets no more in", () -> answer(node) == QUOTA_EXCEEDED);
        }
        gulls.get(2).disconnect();
        Await.until("there is room again", () -> answer(0) == 0);
        assertThat(gulls.get(0).isOpen() && gulls.get(1).isOpen()).isTrue();
        clients.clean(0, "of-another-tenant", 5);
    }

    @Test
    void liveMembersOfOtherNodesAreOfTheGroup() throws Exception {
        for (int i = 0; i < 2; i++) {
            TestClient member = clean(0, "fish", "member-" + i);
            assertThat(member.subscribe("$share/g/t", 1)).isEqualTo(1);
        }
        TestClient third = clean(1, "fish", "third");
        assertThat(third.subscribe("$share/g/t", 1)).isEqualTo(1);
        TestClient more = clean(2, "fish", "more");
        Await.until("the group is full", () -> {
            boolean isFull = more.subscribe("$share/g/t", 1) == QUOTA_EXCEEDED;
            more.unsubscribe("$share/g/t");
            return isFull;
        });
        assertThat(more.subscribe("$share/other/t", 1)).isEqualTo(1);
        third.disconnect();
        Await.until("there is room again", () -> more.subscribe("$share/g/t", 1) == 1);
    }

    @Test
    void delayedMessagesOfAllNodesCountTogether() throws Exception {
        List<TestClient> owls = new ArrayList<>();
        for (int i = 0; i < NODES; i++) {
            owls.add(clean(i, "owls", "owl-" + i));
        }
        for (int i = 0; i < 4; i++) {
            assertThat(delayed(owls.get(i % NODES))).isZero();
        }
        for (int i = 0; i < NODES; i++) {
            TestClient owl = owls.get(i);
            Await.until("node " + i + " takes no more", () -> delayed(owl) == QUOTA_EXCEEDED);
        }
        assertThat(delayed(clean(0, "fish", "of-another-tenant"))).isZero();
    }

    private static int delayed(TestClient client) throws Exception {
        Packet.Ack ack = client.publish("$delayed/600/later", "x", 1).get(20, TimeUnit.SECONDS);
        assertThat(ack).isNotNull();
        return ack.code();
    }

    @Test
    void noMoreThanTheQuotaWaitsForAbsentClients() throws Exception {
        TestClient absent = clients.connected(config(2, "foxes", "absent"));
        assertThat(absent.subscribe("q", 1)).isEqualTo(1);
        absent.disconnect();
        TestClient publisher = clean(0, "foxes", "publisher");
        for (int i = 0; i < 5; i++) {
            publisher.publish("q", "x".repeat(400), 1).get(20, TimeUnit.SECONDS);
        }
        clients.resume(absent, 1);
        NodeClients.next(absent, "the first");
        NodeClients.next(absent, "the second");
        NodeClients.assertNothingMore(absent);
        NodeClients.publish(publisher, "q", "x".repeat(400), 1);
        NodeClients.next(absent, "one that comes while it is there");
    }
}
