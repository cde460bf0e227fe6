package io.godwit.cluster.trust;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.godwit.cluster.TestNodes;
import io.godwit.cluster.config.HostPort;
import io.godwit.cluster.rpc.EchoService;
import io.godwit.cluster.rpc.RpcConnection;
import io.godwit.cluster.rpc.RpcServer;
import io.godwit.cluster.thread.RpcThreads;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** On an unencrypted loopback connection a node talks only to processes of its own user. */
@SuppressWarnings("AddressSelection") // these are addresses, not names
class LocalPeersTest {
    private static final InetSocketAddress NODE = new InetSocketAddress("127.0.0.1", 8900);
    private static final InetSocketAddress CALLER = new InetSocketAddress("127.0.0.1", 40_000);
    private static final String NODE_IN_TABLE = "0100007F:22C4";
    private static final String CALLER_IN_TABLE = "0100007F:9C40";
    private static final String MAPPED = "0000000000000000FFFF0000";
    private static final String ESTABLISHED = "01";

    @TempDir
    private Path proc;

    private final AtomicLong nanos = new AtomicLong();
    private LocalPeers peers;

    @BeforeEach
    void thisProcessIsUser1000() throws IOException {
        Files.createDirectories(proc.resolve("net"));
        Files.createDirectories(proc.resolve("self"));
        Files.writeString(proc.resolve("self/status"), "Name:\tjava\nUid:\t5\t1000\t5\t5\n");
        peers = new LocalPeers(proc, nanos::get);
    }

    private void table(String name, String... lines) throws IOException {
        Files.writeString(
                proc.resolve("net").resolve(name), "  sl  local_address rem_address st\n" + String.join("", lines));
    }

    private static String line(String local, String remote, String state, int user, int inode) {
        return "  10: " + local + " " + remote + " " + state + " 00000000:00000000 00:00000000 00000000  " + user
                + "        0 " + inode + " 1 0000000000000000 20 4 30 10 -1\n";
    }

    private boolean isAdmitted() {
        return peers.isAdmitted(NODE, CALLER);
    }

    @Test
    void ownProcessesAndRootAreAdmittedAndOthersAreNot() throws Exception {
        table("tcp", line(CALLER_IN_TABLE, NODE_IN_TABLE, ESTABLISHED, 1000, 7));
        assertThat(isAdmitted()).isTrue();
        table("tcp", line(CALLER_IN_TABLE, NODE_IN_TABLE, ESTABLISHED, 0, 7));
        assertThat(isAdmitted()).isTrue();
        table("tcp", line(CALLER_IN_TABLE, NODE_IN_TABLE, ESTABLISHED, 65_534, 7));
        assertThat(isAdmitted()).isFalse();
    }

    /** The local end is in the table too, and belongs to this user. */
    @Test
    void theOwnerOfTheOtherEndDecides() throws Exception {
        table(
                "tcp",
                line(NODE_IN_TABLE, CALLER_IN_TABLE, ESTABLISHED, 1000, 8),
                line(CALLER_IN_TABLE, "0100007F:22C5", ESTABLISHED, 1000, 9),
                line(CALLER_IN_TABLE, NODE_IN_TABLE, ESTABLISHED, 65_534, 7));
        assertThat(isAdmitted()).isFalse();
    }

    @Test
    void addressesOfIpv6AreFound() throws Exception {
        table("tcp6", line(MAPPED + CALLER_IN_TABLE, MAPPED + NODE_IN_TABLE, ESTABLISHED, 1000, 7));
        assertThat(isAdmitted()).isTrue();
        String one = "00000000000000000000000001000000";
        table("tcp6", line(one + ":9C40", one + ":22C4", ESTABLISHED, 1000, 7));
        assertThat(peers.isAdmitted(new InetSocketAddress("::1", 8900), new InetSocketAddress("::1", 40_000)))
                .isTrue();
        assertThat(isAdmitted()).isFalse();
    }

    /**
     * A caller that sends a request and closes at once leaves a socket without an owner, which the table lists as
     * root's.
     */
    @Test
    void aClosedSocketIsNotTakenForOneOfRoot() throws Exception {
        for (String state : new String[] {"04", "05", "06", "08"}) {
            table("tcp", line(CALLER_IN_TABLE, NODE_IN_TABLE, state, 0, 0));
            assertThat(isAdmitted()).as(state).isFalse();
        }
        table("tcp", line(CALLER_IN_TABLE, NODE_IN_TABLE, ESTABLISHED, 0, 0));
        assertThat(isAdmitted())
                .as("a socket that is closed while the table is read")
                .isFalse();
    }

    @Test
    void anUnknownOwnerIsRefused() throws Exception {
        assertThat(isAdmitted()).as("without tables").isFalse();
        table("tcp", "");
        table("tcp6", "nonsense\n");
        assertThat(isAdmitted()).as("a connection that is not in the table").isFalse();
        table("tcp", line(CALLER_IN_TABLE, NODE_IN_TABLE, ESTABLISHED, 1000, 7));
        assertThat(peers.isAdmitted(null, CALLER)).isFalse();
        Files.delete(proc.resolve("self/status"));
        assertThat(isAdmitted()).as("the own user is unknown").isFalse();
    }

    /** Each check reads all connections of the machine. */
    @Test
    void looksAreBoundedAndComeBack() throws Exception {
        table("tcp", line(CALLER_IN_TABLE, NODE_IN_TABLE, ESTABLISHED, 1000, 7));
        int admitted = 0;
        for (int i = 0; i < 1_000; i++) {
            admitted += isAdmitted() ? 1 : 0;
        }
        assertThat(admitted).isEqualTo(20);
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(1));
        assertThat(isAdmitted()).isTrue();
    }

    /** So a stranger with many connections does not use up the checks. */
    @Test
    void oneCheckAnswersForManyConnections() throws Exception {
        List<String> lines = new ArrayList<>();
        List<LocalPeers.Ends> connections = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            int port = 40_000 + i;
            connections.add(new LocalPeers.Ends(NODE, new InetSocketAddress("127.0.0.1", port)));
            lines.add(line(
                    String.format("0100007F:%04X", port),
                    NODE_IN_TABLE,
                    i == 7 ? "06" : ESTABLISHED,
                    i == 8 ? 1000 : 65_534,
                    i == 7 ? 0 : 5));
        }
        table("tcp", lines.toArray(String[]::new));
        List<LocalPeers.Owner> owners = peers.owners(connections);
        assertThat(owners).hasSize(1_000);
        assertThat(owners.subList(6, 10))
                .containsExactly(
                        LocalPeers.Owner.STRANGER,
                        LocalPeers.Owner.UNKNOWN,
                        LocalPeers.Owner.ADMITTED,
                        LocalPeers.Owner.STRANGER);
        for (int i = 1; i < 20; i++) {
            assertThat(peers.owners(connections).get(8)).isEqualTo(LocalPeers.Owner.ADMITTED);
        }
        assertThat(peers.owners(connections)).as("too many checks").containsOnly(LocalPeers.Owner.UNKNOWN);
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(1));
        Files.delete(proc.resolve("self/status"));
        assertThat(peers.owners(connections)).as("the own user is unknown").containsOnly(LocalPeers.Owner.UNKNOWN);
    }

    @Test
    void onlyLoopbackInTheClearIsChecked() throws Exception {
        InetAddress loopback = InetAddress.getByName("127.0.0.1");
        assertThat(LocalPeers.of(loopback, false)).isNotNull();
        assertThat(LocalPeers.of(loopback, true)).isNull();
        assertThat(LocalPeers.of(InetAddress.getByName("0.0.0.0"), false)).isNull();
    }

    @Test
    @SuppressWarnings("try") // the client closes early
    void aConnectionOfThisProcessIsAdmittedAsTheSystemTellsIt() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Socket client = new Socket(InetAddress.getLoopbackAddress(), server.getLocalPort());
                Socket accepted = server.accept()) {
            LocalPeers real = new LocalPeers();
            assertThat(real.isAdmitted(accepted.getLocalSocketAddress(), accepted.getRemoteSocketAddress()))
                    .isTrue();
            client.close();
            assertThat(accepted.getInputStream().read()).isEqualTo(-1);
            assertThat(real.isAdmitted(accepted.getLocalSocketAddress(), accepted.getRemoteSocketAddress()))
                    .as("a closed connection")
                    .isFalse();
        }
    }

    /** Only root can create a process of another user. */
    @Test
    void aConnectionOfAnotherUserIsRefusedAsTheSystemTellsIt() throws Exception {
        assumeThat(System.getProperty("user.name")).isEqualTo("root");
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String connect = "exec 3<>/dev/tcp/127.0.0.1/" + server.getLocalPort() + "; read -r _ <&3";
            Process stranger =
                    new ProcessBuilder("setpriv", "--reuid", "65534", "--clear-groups", "bash", "-c", connect).start();
            try (Socket accepted = server.accept()) {
                assertThat(new LocalPeers()
                                .isAdmitted(accepted.getLocalSocketAddress(), accepted.getRemoteSocketAddress()))
                        .isFalse();
            } finally {
                stranger.destroyForcibly();
            }
        }
    }

    @Test
    void aStrangersCallsAreRefused() throws Exception {
        for (boolean isOurs : new boolean[] {true, false}) {
            RpcThreads threads = new RpcThreads();
            int port = TestNodes.freePort();
            LocalPeers check = new LocalPeers() {
                @Override
                public boolean isAdmitted(java.net.SocketAddress here, java.net.SocketAddress there) {
                    assertThat(((InetSocketAddress) here).getPort()).isEqualTo(port);
                    return isOurs;
                }
            };
            try (threads;
                    RpcServer server = new RpcServer(
                            new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
                            null,
                            check,
                            threads,
                            1 << 20)) {
                server.add(EchoService.SERVICE);
                server.start();
                try (RpcConnection connection = RpcConnection.to(new HostPort("127.0.0.1", port), null)) {
                    if (isOurs) {
                        assertThat(EchoService.call(connection.channel(), new byte[3]))
                                .hasSize(3);
                    } else {
                        assertThatThrownBy(() -> EchoService.call(connection.channel(), new byte[3]))
                                .isInstanceOfSatisfying(
                                        StatusRuntimeException.class,
                                        e -> assertThat(e.getStatus().getCode())
                                                .isEqualTo(Status.Code.PERMISSION_DENIED));
                    }
                }
            }
        }
    }
}
