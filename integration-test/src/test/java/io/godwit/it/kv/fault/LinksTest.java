package io.godwit.it.kv.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.api.Assumptions.abort;

import io.godwit.testing.Await;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** That what is cut is cut, and nothing else, and that nothing is left behind. */
class LinksTest {
    private static final int PORT = 7_070;

    @TempDir
    private Path directory;

    @Test
    void aProxiedLinkIsCutOneWayAndHealed() throws Exception {
        try (ProxyLinks links = new ProxyLinks(2);
                ServerSocket server = new ServerSocket(0, 10, InetAddress.getByName(links.address(1)));
                Socket client = new Socket(new Proxy(
                        Proxy.Type.SOCKS,
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), links.proxyPort(0))))) {
            client.connect(server.getLocalSocketAddress(), 2_000);
            try (Socket accepted = server.accept()) {
                assertCarries(client, accepted);
                assertCarries(accepted, client);
                links.cut(0, 1);
                client.getOutputStream().write(7);
                assertSilent(accepted);
                assertCarries(accepted, client);
                links.heal(0, 1);
                accepted.setSoTimeout(5_000);
                assertThat(accepted.getInputStream().read()).isEqualTo(7);
                links.cut(1, 0);
                assertCarries(client, accepted);
                accepted.getOutputStream().write(8);
                assertSilent(client);
            }
        }
    }

    @Test
    void aProxiedLinkIsSlowAndLateUntilThatEnds() throws Exception {
        try (ProxyLinks links = new ProxyLinks(2);
                ServerSocket server = new ServerSocket(0, 10, InetAddress.getByName(links.address(1)));
                Socket client = throughProxy(links)) {
            client.connect(server.getLocalSocketAddress(), 2_000);
            try (Socket accepted = server.accept()) {
                links.slow(1, 10_000);
                assertThat(millisFor(client, accepted, 5_000)).isGreaterThan(400);
                links.hasten(1);
                links.delay(0, 200);
                long longest = 0;
                for (int i = 0; i < 10; i++) {
                    longest = Math.max(longest, millisFor(accepted, client, 1));
                }
                assertThat(longest).isGreaterThan(20); // each is drawn: all of ten are shorter once in ten billion
                links.hasten(0);
                assertThat(millisFor(client, accepted, 5_000)).isLessThan(400);
            }
        }
    }

    @Test
    void theConnectionsOfTwoNodesAreEnded() throws Exception {
        try (ProxyLinks links = new ProxyLinks(2);
                ServerSocket server = new ServerSocket(0, 10, InetAddress.getByName(links.address(1)));
                Socket client = throughProxy(links);
                Socket next = throughProxy(links)) {
            client.connect(server.getLocalSocketAddress(), 2_000);
            try (Socket accepted = server.accept()) {
                assertCarries(client, accepted);
                links.reset(1, 0);
                assertThat(catchThrowable(() -> accepted.getInputStream().read()))
                        .isInstanceOf(SocketException.class);
                assertThat(catchThrowable(() -> client.getInputStream().read())).isInstanceOf(SocketException.class);
            }
            next.connect(server.getLocalSocketAddress(), 2_000);
            try (Socket accepted = server.accept()) {
                assertCarries(next, accepted);
            }
        }
    }

    private static Socket throughProxy(ProxyLinks links) {
        return new Socket(new Proxy(
                Proxy.Type.SOCKS, new InetSocketAddress(InetAddress.getLoopbackAddress(), links.proxyPort(0))));
    }

    private static long millisFor(Socket from, Socket to, int bytes) throws IOException {
        long begin = System.nanoTime();
        from.getOutputStream().write(new byte[bytes]);
        to.setSoTimeout(20_000);
        to.getInputStream().readNBytes(bytes);
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin);
    }

    @Test
    void aConnectionIsNotMadeOverACutProxiedLink() throws Exception {
        try (ProxyLinks links = new ProxyLinks(2);
                ServerSocket server = new ServerSocket(0, 10, InetAddress.getByName(links.address(1)));
                Socket client = new Socket(new Proxy(
                        Proxy.Type.SOCKS,
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), links.proxyPort(0))))) {
            links.cut(1, 0);
            assertThat(catchThrowable(() -> client.connect(server.getLocalSocketAddress(), 300)))
                    .isInstanceOf(IOException.class);
        }
    }

    @Test
    void anHttpProxyLeadsToTheNode() throws Exception {
        try (ProxyLinks links = new ProxyLinks(2);
                ServerSocket server = new ServerSocket(0, 10, InetAddress.getByName(links.address(1)));
                Socket client = new Socket(new Proxy(
                        Proxy.Type.HTTP,
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), links.proxyPort(0))))) {
            client.connect(server.getLocalSocketAddress(), 2_000);
            try (Socket accepted = server.accept()) {
                assertCarries(client, accepted);
            }
        }
    }

    /** Programs inside the namespaces say what they see. */
    @Test
    void aLinkBetweenNamespacesIsCutOneWayAndHealed() throws Exception {
        List<String> before = spaces();
        try (NamespaceLinks links = namespaces()) {
            assertThat(spaces()).as("the hub and two nodes").hasSize(before.size() + 3);
            Shell left = new Shell(links.prefix(0));
            Shell right = new Shell(links.prefix(1));
            assertThat(reaches(left, links.address(1), right)).isTrue();
            assertThat(reaches(right, links.address(0), left)).isTrue();
            links.cut(0, 1);
            assertThat(reaches(left, links.address(1), right)).isFalse();
            assertThat(reaches(right, links.address(0), left)).isTrue();
            links.heal(0, 1);
            assertThat(reaches(left, links.address(1), right)).isTrue();
            links.heal(0, 1); // also when there is nothing to heal
        }
        assertThat(spaces()).isEqualTo(before);
    }

    /** What passes between us and a node is as fast as before. */
    @Test
    void aLinkBetweenNamespacesIsSlowUntilThatEnds() throws Exception {
        try (NamespaceLinks links = namespaces()) {
            try {
                links.slow(0, 10_000);
            } catch (IOException e) {
                abort("links are not made slow here: " + e.getMessage());
            }
            assertThat(new Shell(links.prefix(0)).run("tc qdisc show dev net")).contains("htb");
            links.hasten(0);
            links.hasten(0); // also when it is not slow
            assertThat(new Shell(links.prefix(0)).run("tc qdisc show dev net")).doesNotContain("htb");
        }
    }

    @Test
    void aSmallDiskIsFilledAndEmptied() throws Exception {
        Path root = directory.resolve("disk");
        SmallDisk disk;
        try {
            disk = SmallDisk.make(root, 64 << 20);
        } catch (IOException e) {
            abort("no file system of one's own here: " + e.getMessage());
            return;
        }
        try (disk) {
            long free = disk.freeBytes();
            assertThat(free).isBetween(32L << 20, 64L << 20);
            disk.fill(8 << 20);
            assertThat(disk.freeBytes()).isBetween(8L << 20, 16L << 20);
            disk.fill(0);
            assertThat(catchThrowable(() -> Files.write(root.resolve("more"), new byte[4 << 20])))
                    .isInstanceOf(IOException.class);
            Files.deleteIfExists(root.resolve("more"));
            disk.empty();
            assertThat(disk.freeBytes()).isGreaterThan(free - (1 << 20));
        }
        assertThat(root).doesNotExist();
        assertThat(Files.readString(Path.of("/proc/mounts"))).doesNotContain(root.toString());
    }

    private static NamespaceLinks namespaces() {
        try {
            return NamespaceLinks.make(2);
        } catch (IOException e) {
            return abort("no network namespaces here: " + e.getMessage());
        }
    }

    /** Those of this process: other tests make some at the same time. */
    private static List<String> spaces() {
        String ours = "godwit-" + ProcessHandle.current().pid() + '-';
        try {
            return Stream.of(Command.run("ip", "netns", "list").split("\n", -1))
                    .filter(line -> line.startsWith(ours))
                    .toList();
        } catch (IOException e) {
            return List.of();
        }
    }

    /**
     * Whether a datagram arrives: one way only counts. Bash has {@code /dev/udp}; who listens is looked up where the
     * kernel counts what no port took.
     */
    private static boolean reaches(Shell from, String address, Shell to) throws IOException, InterruptedException {
        long taken = arrived(to);
        return Await.comesToHold(Duration.ofMillis(500), () -> {
            from.run("echo x > /dev/udp/" + address + '/' + PORT + " || true"); // each look, since one may be lost
            return arrived(to) > taken;
        });
    }

    private static long arrived(Shell shell) throws IOException {
        for (String line : shell.run("cat /proc/net/snmp").split("\n", -1)) {
            if (line.startsWith("Udp: ") && !line.contains("NoPorts")) {
                return Long.parseLong(line.split(" ", -1)[2]);
            }
        }
        throw new IOException("no count of datagrams");
    }

    /** Runs commands behind a prefix. */
    private record Shell(List<String> prefix) {
        String run(String script) throws IOException {
            List<String> words = new ArrayList<>(prefix);
            words.addAll(List.of("bash", "-c", script));
            return Command.run(words);
        }
    }

    private static void assertCarries(Socket from, Socket to) throws IOException {
        from.getOutputStream().write(42);
        to.setSoTimeout(5_000);
        assertThat(to.getInputStream().read()).isEqualTo(42);
    }

    private static void assertSilent(Socket socket) throws IOException {
        socket.setSoTimeout(300);
        InputStream in = socket.getInputStream();
        assertThat(catchThrowable(in::read)).isInstanceOf(SocketTimeoutException.class);
    }
}
