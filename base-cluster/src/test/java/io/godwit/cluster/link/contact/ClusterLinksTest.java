package io.godwit.cluster.link.contact;

import static io.godwit.cluster.link.LinksContract.bytes;
import static io.godwit.cluster.link.contact.LinkedNodes.awaitPeer;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.Cluster;
import io.godwit.cluster.config.ClusterConfig;
import io.godwit.cluster.config.HostPort;
import io.godwit.cluster.link.Lane;
import io.godwit.cluster.link.LinkSettings;
import io.godwit.cluster.link.LinksContract;
import io.godwit.cluster.link.Peer;
import io.godwit.cluster.member.NodeIdentity;
import io.godwit.testing.Await;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;

/** Wired like in the broker: the members find each other. */
class ClusterLinksTest {
    private static final int ATTEMPTS = 200;

    /** A port below the ephemeral range, free at both addresses together with the next one. */
    private static int freePort() {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            int candidate = ThreadLocalRandom.current().nextInt(10_000, 16_000) * 2;
            if (isFree("127.0.0.1", candidate)
                    && isFree("127.0.0.1", candidate + 1)
                    && isFree("127.0.0.2", candidate)
                    && isFree("127.0.0.2", candidate + 1)) {
                return candidate;
            }
        }
        throw new AssertionError("no free port");
    }

    @SuppressWarnings("AddressSelection") // an address, not a name
    private static boolean isFree(String host, int port) {
        try (ServerSocket socket = new ServerSocket()) {
            socket.bind(new InetSocketAddress(host, port));
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private static Cluster cluster(int number, int port, NodeIdentity identity) throws IOException {
        return Cluster.open(
                new ClusterConfig(
                        "links",
                        "127.0.0." + number,
                        port,
                        port + 1,
                        "",
                        List.of(new HostPort("127.0.0.1", port)),
                        null,
                        ClusterConfig.DEFAULT_MAX_MESSAGE_BYTES),
                identity);
    }

    @Test
    void membersAreLinkedAndANodeThatClosesIsOver() throws Exception {
        int port = freePort();
        NodeIdentity one = new NodeIdentity("one", 1, "1", Map.of());
        NodeIdentity two = new NodeIdentity("two", 7, "1", Map.of());
        try (Cluster first = cluster(1, port, one);
                Cluster second = cluster(2, port, two);
                PeerLinks atFirst = PeerLinks.open(first, one, LinkSettings.of("cluster"))) {
            LinksContract.Heard heardByFirst = new LinksContract.Heard(atFirst);
            first.start();
            atFirst.start();
            LinksContract.Heard heardBySecond;
            List<String> told = new CopyOnWriteArrayList<>();
            try (PeerLinks atSecond = PeerLinks.open(second, two, LinkSettings.of("cluster"))) {
                heardBySecond = new LinksContract.Heard(atSecond);
                second.start();
                atSecond.start();
                Peer peer = awaitPeer(atFirst, "two");
                assertThat(peer.incarnation()).isEqualTo(7);
                peer.send(Lane.CONTROL, bytes("hello"), new LinksContract.Fate(told, "1"));
                awaitPeer(atSecond, "one").send(Lane.INBOX_DOWN, bytes("back"), new LinksContract.Fate(told, "2"));
                Await.until("confirmed", () -> told.size() == 2);
            }
            assertThat(told).containsExactlyInAnyOrder("confirmed 1", "confirmed 2");
            assertThat(heardBySecond.frames).containsExactly("CONTROL hello");
            assertThat(heardBySecond.events).containsExactly("joined one", "over one");
            Await.until("over", () -> heardByFirst.events.contains("over two"));
            assertThat(heardByFirst.frames).containsExactly("INBOX_DOWN back");
            assertThat(atFirst.peer("two")).isNull();
        }
    }
}
