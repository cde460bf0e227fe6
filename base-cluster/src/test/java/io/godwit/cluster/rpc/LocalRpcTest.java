package io.godwit.cluster.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.cluster.TestNodes;
import io.godwit.cluster.config.ClusterConfig;
import io.godwit.cluster.config.HostPort;
import io.godwit.cluster.thread.RpcThreads;
import io.godwit.cluster.trust.ClusterTls;
import io.godwit.cluster.trust.TestAuthority;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Only callers that can read the file are served. */
class LocalRpcTest {
    private static final byte[] REQUEST = {1, 2, 3};

    @TempDir
    private Path directory;

    @Test
    void aCallerThatCanReadTheFileIsServed() throws Exception {
        Path file = directory.resolve("rpc");
        try (LocalRpcServer server = LocalRpcServer.start(List.of(EchoService.SERVICE), file)) {
            LocalAccess access = LocalAccess.read(file);
            assertThat(InetAddress.getByName(access.address().host()).isLoopbackAddress())
                    .isTrue();
            try (RpcConnection connection = RpcConnection.local(access)) {
                assertThat(EchoService.call(connection.channel(), REQUEST)).isEqualTo(REQUEST);
            }
            assertThat(server).isNotNull();
        }
        assertThatThrownBy(() -> LocalAccess.read(file)).isInstanceOf(NoSuchFileException.class);
    }

    @Test
    void onlyTheOwnerMayReadTheFileEvenIfItReplacesAnotherOne() throws Exception {
        Path file = Files.writeString(directory.resolve("rpc"), "of a process that was killed");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        Path next = Files.writeString(directory.resolve("rpc.next"), "half a file");
        try (LocalRpcServer server = LocalRpcServer.start(List.of(EchoService.SERVICE), file)) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                    .isEqualTo("rw-------");
            assertThat(next).doesNotExist();
            assertThat(server).isNotNull();
        }
    }

    @Test
    void noTokenOrThatOfAnotherLifeIsRefused() throws Exception {
        Path file = directory.resolve("rpc");
        String old;
        try (LocalRpcServer server = LocalRpcServer.start(List.of(), file)) {
            old = LocalAccess.read(file).token();
            assertThat(server).isNotNull();
        }
        try (LocalRpcServer server = LocalRpcServer.start(List.of(EchoService.SERVICE), file)) {
            HostPort address = LocalAccess.read(file).address();
            assertRefused(RpcConnection.local(new LocalAccess(address, old)));
            assertRefused(RpcConnection.to(address, null));
            assertThat(server).isNotNull();
        }
    }

    private static void assertRefused(RpcConnection connection) {
        try (connection) {
            assertThatThrownBy(() -> EchoService.call(connection.channel(), REQUEST))
                    .isInstanceOfSatisfying(
                            StatusRuntimeException.class,
                            e -> assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.UNAUTHENTICATED));
        }
    }

    @Test
    void theTokenIsNotPrinted() {
        assertThat(new LocalAccess(new HostPort("127.0.0.1", 1), "secret").toString())
                .doesNotContain("secret");
    }

    @Test
    void aFileThatIsNoneOfThisKindIsNamed() throws Exception {
        Path file = Files.writeString(directory.resolve("rpc"), "rpc=nowhere\ntoken=1\n");
        assertThatThrownBy(() -> LocalAccess.read(file))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("rpc must be host:port, was \"nowhere\"");
        Files.writeString(file, "rpc=127.0.0.1:1\n");
        assertThatThrownBy(() -> LocalAccess.read(file)).hasMessageContaining("line token=");
    }

    @Test
    void addressesAreReadAsTheyArePrinted() {
        for (String text : List.of("[::1]:8899", "10.0.0.1:1", "node.example:65535")) {
            assertThat(HostPort.parse(text)).hasToString(text);
        }
        for (String text : List.of("", "host", "host:", ":1", "host:x", "host:0", "::1:8899", "[]:1")) {
            assertThatThrownBy(() -> HostPort.parse(text))
                    .as(text)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("host:port");
        }
    }

    @Test
    void anOperatorsCertificateOfTheAuthorityIsServedByANode() throws Exception {
        TestAuthority authority = new TestAuthority(directory, "ours");
        TestAuthority other = new TestAuthority(directory, "other");
        RpcThreads threads = new RpcThreads();
        int port = TestNodes.freePort();
        try (threads;
                RpcServer server = new RpcServer(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
                        ClusterTls.load(authority.node("n1")),
                        threads,
                        1 << 20)) {
            server.add(EchoService.SERVICE);
            server.start();
            HostPort address = new HostPort("127.0.0.1", port);
            try (RpcConnection connection = RpcConnection.to(address, authority.node("operator"))) {
                assertThat(EchoService.call(connection.channel(), REQUEST)).isEqualTo(REQUEST);
            }
            for (ClusterConfig.TlsFiles stranger : Arrays.asList(null, other.node("stranger"))) {
                try (RpcConnection connection = RpcConnection.to(address, stranger)) {
                    assertThatThrownBy(() -> EchoService.call(connection.channel(), REQUEST))
                            .isInstanceOfSatisfying(
                                    StatusRuntimeException.class,
                                    e -> assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.UNAVAILABLE));
                }
            }
        }
    }
}
