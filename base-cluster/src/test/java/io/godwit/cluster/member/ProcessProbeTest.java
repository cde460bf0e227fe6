package io.godwit.cluster.member;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.config.HostPort;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ProcessProbeTest {
    @Test
    void aPortThatSomebodyListensAtIsNotOver() throws IOException {
        int port;
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = listener.getLocalPort();
            assertThat(ProcessProbe.isOver(new HostPort("127.0.0.1", port))).isFalse();
            assertThat(takesConnections(port)).isTrue();
        }
        assertThat(takesConnections(port)).isFalse();
        assertThat(ProcessProbe.isOver(new HostPort("127.0.0.1", port))).isTrue();
    }

    /** Like a suspended process: its connection queue is full, and nobody answers. */
    @Test
    void aHostThatSaysNothingMayHaveTheProcessStill() throws IOException {
        List<Socket> queued = new ArrayList<>();
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            while (isTaken(listener, queued)) {
                assertThat(queued).as("connections in a queue of length one").hasSizeLessThan(20);
            }
            assertThat(ProcessProbe.isOver(new HostPort("127.0.0.1", listener.getLocalPort())))
                    .isFalse();
            assertThat(takesConnections(listener.getLocalPort())).isFalse();
        } finally {
            for (Socket socket : queued) {
                socket.close();
            }
        }
    }

    private static boolean takesConnections(int port) {
        return ProcessProbe.takesConnections(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    }

    private static boolean isTaken(ServerSocket listener, List<Socket> queued) throws IOException {
        Socket socket = new Socket();
        queued.add(socket);
        try {
            socket.connect(listener.getLocalSocketAddress(), 100);
            return true;
        } catch (SocketTimeoutException e) {
            return false;
        }
    }

    @Test
    void aNameThatIsNotKnownTellsNothing() {
        assertThat(ProcessProbe.isOver(new HostPort("no-such-host.invalid", 4_000)))
                .isFalse();
    }
}
