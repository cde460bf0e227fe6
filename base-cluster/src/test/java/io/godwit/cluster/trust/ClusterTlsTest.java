package io.godwit.cluster.trust;

import static io.godwit.cluster.TestNodes.await;
import static io.godwit.cluster.TestNodes.awaitMembers;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.cluster.TestNodes;
import io.godwit.cluster.TestNodes.Node;
import io.godwit.cluster.config.ClusterConfig;
import io.godwit.cluster.config.ClusterException;
import io.godwit.cluster.rpc.EchoService;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClusterTlsTest {
    @TempDir
    Path directory;

    @Test
    void nodesOfOneAuthorityFormAClusterAndCallEachOther() throws Exception {
        TestAuthority authority = new TestAuthority(directory, "good");
        try (TestNodes nodes = new TestNodes(3)) {
            List<Node> all = new ArrayList<>();
            for (int i = 1; i <= 3; i++) {
                all.add(nodes.start(i, "n" + i, ClusterTls.load(authority.node("node" + i))));
            }
            awaitMembers(all, "n1", "n2", "n3");
            all.get(1).cluster().server().add(EchoService.SERVICE);
            await(
                    () -> all.get(0).cluster().channels().isConnected("n2"),
                    all.get(0).events()::toString);
            byte[] hello = "hello".getBytes(StandardCharsets.UTF_8);
            assertThat(EchoService.call(TestNodes.channel(all.get(0), "n2"), hello))
                    .isEqualTo(hello);

            all.get(2).crash();
            awaitMembers(all.subList(0, 2), "n1", "n2");
        }
    }

    /**
     * Nodes with a certificate of another authority, with an expired one, and with one that lacks the required name.
     */
    @Test
    void aProcessWithoutANodesCertificateNeitherJoinsNorCalls() throws Exception {
        TestAuthority authority = new TestAuthority(directory, "good");
        ClusterConfig.TlsFiles foreign = new TestAuthority(directory, "bad").node("foreign");
        Map<String, ClusterConfig.TlsFiles> outsiders = Map.of(
                // this node itself would accept the cluster's certificates
                "foreign",
                new ClusterConfig.TlsFiles(foreign.certificate(), foreign.key(), authority.file(), ""),
                "expired",
                authority.node("expired", TestAuthority.EXPIRED, "godwit.node", ""),
                "nameless",
                authority.node("nameless", TestAuthority.AN_HOUR, "client.example", ""));
        try (TestNodes nodes = new TestNodes(2)) {
            Node first = start(nodes, authority, 1);
            first.cluster().server().add(EchoService.SERVICE);
            awaitMembers(List.of(first), "n1");
            List<Node> strangers = new ArrayList<>();
            int number = 10;
            for (Map.Entry<String, ClusterConfig.TlsFiles> outsider : outsiders.entrySet()) {
                ClusterTls tls = ClusterTls.unchecked(outsider.getValue());
                assertNoCall(nodes, tls);
                strangers.add(nodes.start(number++, outsider.getKey(), tls));
            }
            for (Node stranger : strangers) {
                await(() -> stranger.ids().size() == 1, stranger.events()::toString); // alone
            }
            // a node can still join, and connections work in both directions
            Node second = start(nodes, authority, 2);
            awaitMembers(List.of(first, second), "n1", "n2");
            for (Node stranger : strangers) {
                assertThat(stranger.events()).hasSize(1);
                assertThat(stranger.cluster().channels().to("n1")).isNull();
            }
            await(() -> first.events().equals(List.of("joined n1/1", "joined n2/1")), first.events()::toString);
        }
    }

    private static Node start(TestNodes nodes, TestAuthority authority, int number) throws IOException {
        ClusterConfig.TlsFiles files =
                authority.node("node" + number, TestAuthority.AN_HOUR, "godwit.node", "GODWIT.node");
        return nodes.start(number, "n" + number, ClusterTls.load(files));
    }

    private static void assertNoCall(TestNodes nodes, ClusterTls tls) throws IOException {
        ManagedChannel channel = NettyChannelBuilder.forAddress("127.0.0.1", nodes.port() + 1)
                .sslContext(tls.clientContext())
                .build();
        try {
            assertThatThrownBy(() -> EchoService.call(channel, new byte[1]))
                    .isInstanceOfSatisfying(
                            StatusRuntimeException.class,
                            e -> assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.UNAVAILABLE));
        } finally {
            channel.shutdownNow();
        }
    }

    /**
     * Plain text, TLS without a certificate, and silence: none learns anything, and silent connections do not keep a
     * node out.
     */
    @Test
    void aPeerWithoutACertificateLearnsNothingAndBlocksNobody() throws Exception {
        TestAuthority authority = new TestAuthority(directory, "good");
        List<Socket> silent = new ArrayList<>();
        try (TestNodes nodes = new TestNodes(2)) {
            Node first = nodes.start(1, "n1", ClusterTls.load(authority.node("node1")));
            awaitMembers(List.of(first), "n1");
            for (int port : List.of(nodes.port(), nodes.port() + 1)) {
                try (Socket plain = new Socket(TestNodes.address("127.0.0.1"), port)) {
                    plain.getOutputStream().write("bela tell me of your members".getBytes(StandardCharsets.UTF_8));
                    assertLearnsNothing(plain);
                }
                try (SSLSocket bare = (SSLSocket)
                        trustingAll().getSocketFactory().createSocket(TestNodes.address("127.0.0.1"), port)) {
                    assertLearnsNothing(bare);
                }
            }

            // handled one after the other they would take half a minute
            for (int i = 0; i < 30; i++) {
                silent.add(new Socket(TestNodes.address("127.0.0.1"), nodes.port()));
            }
            Node second = nodes.start(2, "n2", ClusterTls.load(authority.node("node2")));
            awaitMembers(List.of(first, second), "n1", "n2");
        } finally {
            for (Socket socket : silent) {
                socket.close();
            }
        }
    }

    /** At most a TLS alert is received: as plain bytes or, for a TLS socket, as an exception. */
    private static void assertLearnsNothing(Socket socket) throws IOException {
        socket.setSoTimeout(30_000);
        byte[] told;
        try {
            socket.getOutputStream().write(new byte[] {1, 2, 3});
            told = socket.getInputStream().readAllBytes();
        } catch (IOException e) {
            return; // refused
        }
        int tlsAlert = 21;
        assertThat(told.length).isLessThan(10);
        assertThat(told.length == 0 || told[0] == tlsAlert).isTrue();
    }

    private static SSLContext trustingAll() throws Exception {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, new TrustManager[] {new TrustAll()}, null);
        return context;
    }

    private static final class TrustAll implements X509TrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }

    @Test
    void filesThatOtherNodesWouldRefuseAreNamedAtTheStart() throws Exception {
        TestAuthority authority = new TestAuthority(directory, "good");
        ClusterConfig.TlsFiles good = authority.node("node");
        ClusterConfig.TlsFiles other = authority.node("other");
        ClusterConfig.TlsFiles foreign = new TestAuthority(directory, "bad").node("foreign");
        Path empty = Files.createFile(directory.resolve("empty.pem"));

        assertRefused(authority.node("late", TestAuthority.EXPIRED, "", ""), "late.pem", "NotAfter");
        assertRefused(
                new ClusterConfig.TlsFiles(foreign.certificate(), foreign.key(), authority.file(), ""), "foreign.pem");
        assertRefused(authority.node("named", TestAuthority.AN_HOUR, "a.example", "b.example"), "b.example");
        assertRefused(new ClusterConfig.TlsFiles(good.certificate(), other.key(), authority.file(), ""), "other.key");
        assertRefused(
                new ClusterConfig.TlsFiles(directory.resolve("none.pem"), good.key(), authority.file(), ""),
                "no such file",
                "none.pem");
        assertRefused(
                new ClusterConfig.TlsFiles(empty, good.key(), authority.file(), ""), "empty.pem has no CERTIFICATE");
        assertRefused(new ClusterConfig.TlsFiles(good.certificate(), empty, authority.file(), ""), "no private key");
    }

    private static void assertRefused(ClusterConfig.TlsFiles files, String... words) {
        assertThatThrownBy(() -> ClusterTls.load(files))
                .isInstanceOf(ClusterException.class)
                .hasMessageContainingAll(words);
    }

    @Test
    void renewedCertificateIsTakenOverAndABadOneIsNot() throws Exception {
        TestAuthority authority = new TestAuthority(directory, "good");
        ClusterConfig.TlsFiles files = authority.node("node");
        ClusterTls tls = ClusterTls.load(files);
        assertThat(subject(tls)).isEqualTo("CN=node");

        replace(files, authority.node("late", TestAuthority.EXPIRED, "", ""), 1);
        tls.refresh();
        assertThat(subject(tls)).isEqualTo("CN=node");

        replace(files, authority.node("renewed"), 2);
        tls.refresh();
        assertThat(subject(tls)).isEqualTo("CN=renewed");
    }

    private static void replace(ClusterConfig.TlsFiles files, ClusterConfig.TlsFiles by, int seconds)
            throws IOException {
        Files.copy(by.certificate(), files.certificate(), StandardCopyOption.REPLACE_EXISTING);
        Files.copy(by.key(), files.key(), StandardCopyOption.REPLACE_EXISTING);
        Files.setLastModifiedTime(
                files.certificate(),
                FileTime.fromMillis(Files.getLastModifiedTime(files.key()).toMillis() + 1_000L * seconds));
    }

    private static String subject(ClusterTls tls) {
        return tls.certificate().getSubjectX500Principal().getName();
    }
}
