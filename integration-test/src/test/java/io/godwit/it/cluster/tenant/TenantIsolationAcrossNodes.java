package io.godwit.it.cluster.tenant;

import static io.godwit.it.cluster.NodeClients.assertNothingMore;
import static io.godwit.it.cluster.NodeClients.next;
import static io.godwit.it.cluster.NodeClients.publish;
import static io.godwit.it.cluster.NodeClients.retain;
import static io.godwit.it.cluster.NodeClients.text;
import static io.godwit.it.cluster.tenant.TenantsOverNodesTest.inbox;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.inbox.format.InboxKeys;
import io.godwit.it.client.TestClient;
import io.godwit.it.cluster.NodeClients;
import io.godwit.it.wire.Packet;
import io.godwit.it.wire.Properties;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import io.godwit.testing.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Two tenants use the same client ids, topics and groups over all nodes, and share nothing. The stored sessions of one
 * are served by the first node, those of the other by the last.
 */
@Timeout(120)
abstract class TenantIsolationAcrossNodes extends TenantClients {
    /** Their sessions come before, and after, those of "default", which are on all nodes: shorter names come first. */
    private static final String BIRDS = "birds";

    private static final String PENGUINS = "penguins";

    /** The node that serves a stored session. */
    private static int homeOf(String tenant, String id) {
        String key = HexFormat.of().formatHex(InboxKeys.prefix(new TenantId(tenant), new ClientId(id)));
        for (int i = 0; i < NODES; i++) {
            if (inbox.get(i).contains(key)) {
                return i;
            }
        }
        throw new AssertionError("no range has " + id + " of " + tenant + ": " + inbox);
    }

    /** The next message must be this client's own, and the last. */
    private static void assertGetsOnlyItsOwn(TestClient client, String topic) throws Exception {
        publish(client, topic, "own", 1);
        assertThat(text(next(client, "its own message"))).isEqualTo("own");
        assertNothingMore(client);
    }

    @Test
    void liveMessagesAndClientIdsStayInTheirTenant() throws Exception {
        TestClient bird = clean(0, BIRDS, "same");
        TestClient penguin = clean(1, PENGUINS, "same");
        assertThat(bird.subscribe("t/#", 1)).isEqualTo(1);
        assertThat(penguin.subscribe("t/#", 1)).isEqualTo(1);
        publish(clean(2, BIRDS, "out"), "t/1", "of birds", 1);
        assertThat(text(next(bird, "a message of its tenant"))).isEqualTo("of birds");
        publish(clean(2, PENGUINS, "out"), "t/1", "of penguins", 1);
        assertThat(text(next(penguin, "a message of its tenant"))).isEqualTo("of penguins");
        assertGetsOnlyItsOwn(bird, "t/1");
        assertGetsOnlyItsOwn(penguin, "t/1");
        assertThat(bird.isOpen() && penguin.isOpen())
                .as("neither takes the client id over from the other")
                .isTrue();
        TestClient again = clean(2, BIRDS, "same");
        Await.until("its own tenant takes over", () -> !bird.isOpen());
        assertThat(penguin.isOpen()).isTrue();
        assertThat(again.isOpen()).isTrue();
    }

    @Test
    void storedSessionsOfOneClientIdAreTwoOnDifferentNodes() throws Exception {
        assertThat(homeOf(BIRDS, "away")).isZero();
        assertThat(homeOf(PENGUINS, "away")).isEqualTo(2);
        List<TestClient> away = new ArrayList<>();
        for (String tenant : List.of(BIRDS, PENGUINS)) {
            TestClient client = clients.connected(config(1, tenant, "away"));
            assertThat(client.subscribe("s/#", 1)).isEqualTo(1);
            client.disconnect();
            away.add(client);
        }
        publish(clean(2, BIRDS, "s-out"), "s/1", "of birds", 1);
        publish(clean(0, PENGUINS, "s-out"), "s/1", "of penguins", 1);
        TestClient bird = away.get(0);
        TestClient penguin = away.get(1);
        clients.resume(bird, 2);
        clients.resume(penguin, 0);
        assertThat(text(next(bird, "what has waited"))).isEqualTo("of birds");
        assertThat(text(next(penguin, "what has waited"))).isEqualTo("of penguins");
        assertGetsOnlyItsOwn(bird, "s/2");
        assertGetsOnlyItsOwn(penguin, "s/2");
        assertThat(penguin.connectAnew().sessionPresent()).isFalse();
        assertThat(bird.isOpen()).as("during a clean start in another tenant").isTrue();
        bird.disconnect();
        clients.resume(bird, 1); // also its session is there
    }

    @Test
    void retainedMessagesStayInTheirTenant() throws Exception {
        TestClient bird = clean(0, BIRDS, "r-out");
        TestClient penguin = clean(2, PENGUINS, "r-out");
        retain(bird, "r/1", "of birds");
        retain(penguin, "r/1", "of penguins");
        retain(bird, "r/2", "of birds alone");
        TestClient penguinReader = clean(1, PENGUINS, "r-in");
        assertThat(penguinReader.subscribe("r/#", 1)).isEqualTo(1);
        assertThat(text(next(penguinReader, "what its tenant has retained"))).isEqualTo("of penguins");
        assertGetsOnlyItsOwn(penguinReader, "r/3");
        retain(penguin, "r/1", ""); // clears nothing of the other
        for (int node = 0; node < NODES; node++) {
            TestClient birdReader = clean(node, BIRDS, "r-in-" + node);
            assertThat(birdReader.subscribe("r/#", 1)).isEqualTo(1);
            List<String> given = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                given.add(text(next(birdReader, "more than " + given)));
            }
            assertThat(given).containsExactlyInAnyOrder("of birds", "of birds alone");
            assertNothingMore(birdReader);
        }
        TestClient lateReader = clean(0, PENGUINS, "r-late");
        assertThat(lateReader.subscribe("r/#", 1)).isEqualTo(1);
        assertNothingMore(lateReader);
    }

    @Test
    void sharedGroupsOfOneNameAreTwo() throws Exception {
        List<TestClient> birds = List.of(clean(0, BIRDS, "member-0"), clean(1, BIRDS, "member-1"));
        List<TestClient> penguins = List.of(clean(1, PENGUINS, "member-0"), clean(2, PENGUINS, "member-1"));
        for (List<TestClient> each : List.of(birds, penguins)) {
            for (TestClient member : each) {
                assertThat(member.subscribe("$share/g/g/#", 1)).isEqualTo(1);
            }
        }
        assertGetOnlyTheirOwn(birds, clean(2, BIRDS, "g-out"), "of birds ");
        assertGetOnlyTheirOwn(penguins, clean(0, PENGUINS, "g-out"), "of penguins ");
        for (List<TestClient> each : List.of(birds, penguins)) {
            for (TestClient member : each) {
                assertNothingMore(member);
            }
        }
    }

    /** The members together get each message once. */
    private static void assertGetOnlyTheirOwn(List<TestClient> members, TestClient publisher, String stem)
            throws Exception {
        List<String> sent = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            publish(publisher, "g/" + i, stem + i, 1);
            sent.add(stem + i);
        }
        List<String> given = new ArrayList<>();
        Await looks = Await.atMost(NodeClients.PATIENCE);
        while (given.size() < sent.size()) {
            for (TestClient member : members) {
                Packet.Publish next = member.next(Duration.ZERO);
                while (next != null) {
                    given.add(text(next));
                    next = member.next(Duration.ZERO);
                }
            }
            if (given.size() < sent.size()) {
                looks.again(() -> "all of " + sent + ", but the members have " + given);
            }
        }
        assertThat(given).containsExactlyInAnyOrderElementsOf(sent);
    }

    @Test
    void willsStayInTheirTenant() throws Exception {
        TestClient bird = clean(1, BIRDS, "watcher");
        TestClient penguin = clean(2, PENGUINS, "watcher");
        assertThat(bird.subscribe("w/#", 1)).isEqualTo(1);
        assertThat(penguin.subscribe("w/#", 1)).isEqualTo(1);
        Packet.Will will = new Packet.Will("w/1", "of birds".getBytes(UTF_8), 1, false, Properties.NONE);
        clients.connected(config(0, BIRDS, "dying").withCleanSession().withWill(will))
                .abort();
        assertThat(text(next(bird, "the will"))).isEqualTo("of birds");
        assertGetsOnlyItsOwn(penguin, "w/1");
    }
}
