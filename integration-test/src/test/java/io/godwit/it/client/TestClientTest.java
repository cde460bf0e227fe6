package io.godwit.it.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.wire.Packet;
import io.godwit.it.wire.PacketReader;
import io.godwit.it.wire.PacketWriter;
import io.godwit.it.wire.Properties;
import io.godwit.testing.Await;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** What the client tells its tap of takeovers, by servers that accept every CONNECT and answer every PINGREQ. */
class TestClientTest {
    private final List<Integer> answered = new CopyOnWriteArrayList<>();

    @Test
    void aConnectionThatAnswersBehindItsTakeoverIsTold() throws Exception {
        try (Server server = new Server(false);
                TestClient client = client(server)) {
            client.connect();
            client.connect();
            Await.until("an answer", () -> !answered.isEmpty());
            assertThat(answered).containsExactly(1);
        }
    }

    @Test
    void aConnectionThatWasEndedIsNotTold() throws Exception {
        try (Server server = new Server(true);
                TestClient client = client(server)) {
            client.connect();
            client.connect();
            Await.holds("no answer", Duration.ofMillis(200), answered::isEmpty);
        }
    }

    @Test
    void aClientMayGoToAnotherServer() throws Exception {
        try (Server first = new Server(true);
                Server second = new Server(true);
                TestClient client = client(first)) {
            client.connect();
            client.moveTo(second.address());
            client.connect();
            assertThat(first.accepted).hasSize(1);
            assertThat(second.accepted).hasSize(1);
        }
    }

    private TestClient client(Server server) {
        TestClient client =
                new TestClient(ClientConfig.of(server.address(), "c", 5).withTap(new Tap() {
                    @Override
                    public void out(int connection, Packet packet) {}

                    @Override
                    public void in(int connection, Packet packet) {}

                    @Override
                    public void lost(int connection) {}

                    @Override
                    public void aborted(int connection) {}

                    @Override
                    public void answered(int connection) {
                        answered.add(connection);
                    }
                }));
        client.pingSuperseded();
        return client;
    }

    private static final class Server implements AutoCloseable {
        final List<Socket> accepted = new CopyOnWriteArrayList<>();
        private final ServerSocket listening = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        /** Whether it ends the connections that there are before it accepts another. */
        private final boolean endsOthers;

        Server(boolean endsOthers) throws IOException {
            this.endsOthers = endsOthers;
            start(this::accept);
        }

        InetSocketAddress address() {
            return (InetSocketAddress) listening.getLocalSocketAddress();
        }

        private static void start(Runnable work) {
            Thread thread = new Thread(work, "server");
            thread.setDaemon(true);
            thread.start();
        }

        private void accept() {
            try {
                while (true) {
                    Socket socket = listening.accept();
                    if (endsOthers) {
                        end();
                    }
                    accepted.add(socket);
                    start(() -> serve(socket));
                }
            } catch (IOException e) {
                // closed
            }
        }

        private static void serve(Socket socket) {
            try {
                DataInputStream in = new DataInputStream(socket.getInputStream());
                Packet packet;
                while ((packet = PacketReader.read(in, 5)) != null) {
                    Packet reply = packet instanceof Packet.Connect
                            ? new Packet.Connack(false, 0, Properties.NONE)
                            : new Packet.PingResponse();
                    socket.getOutputStream().write(PacketWriter.bytes(reply, 5));
                }
            } catch (IOException e) {
                // closed
            }
        }

        private void end() throws IOException {
            for (Socket socket : accepted) {
                socket.close();
            }
        }

        @Override
        public void close() throws IOException {
            listening.close();
            end();
        }
    }
}
