package io.godwit.it.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.broker.Ports;
import io.godwit.it.client.ClientConfig;
import io.godwit.it.client.TestClient;
import io.godwit.it.wire.Packet;
import io.godwit.it.wire.Properties;
import io.godwit.mqtt.certificates.TestAuthority;
import io.godwit.testing.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** More connections than the process may have files open. */
class DescriptorsTest {
    private static final int MAX_OPEN_FILES = 1024;
    private static final int CONNECTIONS = 1500;
    private static final int MESSAGES = 400;
    private static final int PAYLOAD_BYTES = 128 * 1024;

    @TempDir
    Path directory;

    private record Silent(InetSocketAddress address, Swarm.Manner manner) {
        /** @param beginning all that it says */
        Silent(InetSocketAddress address, byte[] beginning) {
            this(address, Swarm.Manner.saying(beginning));
        }
    }

    @Test
    void silentConnectionsLeaveTheStoresTheirFiles() throws Exception {
        try (BrokerProcess broker = new BrokerProcess(directory).maxOpenFiles(MAX_OPEN_FILES)) {
            broker.start();
            leavesTheStoresTheirFiles(broker, List.of(new Silent(broker.address(), new byte[0])));
        }
    }

    /** Nothing is said, or half of what must be said before MQTT. */
    @Test
    @Tag("full")
    @Tag("alone")
    void connectionsThatDoNotGetToMqttLeaveTheStoresTheirFiles() throws Exception {
        InetSocketAddress tls = Ports.free();
        InetSocketAddress webSocket = Ports.free();
        TestAuthority.write(directory, "server", new TestAuthority("root").issue("CN=server"));
        byte[] upgrade = "GET /mqtt HTTP/1.1\r\nHost: here\r\n".getBytes(StandardCharsets.US_ASCII);
        try (BrokerProcess broker = new BrokerProcess(directory)
                .maxOpenFiles(MAX_OPEN_FILES)
                .mqttSetting(
                        "tlsListener",
                        "{port: " + tls.getPort() + ", sslConfig: {certFile: server.crt, keyFile: server.key}}")
                .mqttSetting("wsListener", "{port: " + webSocket.getPort() + "}")) {
            broker.start();
            leavesTheStoresTheirFiles(
                    broker,
                    List.of(
                            new Silent(tls, new byte[0]),
                            new Silent(tls, halfHello()),
                            new Silent(webSocket, new byte[0]),
                            new Silent(webSocket, upgrade)));
        }
    }

    /** Of what a TLS client says first. */
    private static byte[] halfHello() throws Exception {
        SSLEngine client = SSLContext.getDefault().createSSLEngine();
        client.setUseClientMode(true);
        ByteBuffer hello = ByteBuffer.allocate(client.getSession().getPacketBufferSize());
        client.wrap(ByteBuffer.allocate(0), hello);
        assertThat(hello.position()).isGreaterThan(100);
        return Arrays.copyOf(hello.array(), hello.position() / 2);
    }

    /** The messages make the stores open files again and again: 50 MiB through memtables of 16 MiB. */
    private void leavesTheStoresTheirFiles(BrokerProcess broker, List<Silent> kinds) throws Exception {
        ClientConfig config = ClientConfig.of(broker.address(), "offline", 5);
        int listeners =
                (int) Stream.concat(Stream.of(broker.address()), kinds.stream().map(Silent::address))
                        .distinct()
                        .count();
        try (Swarm swarm = new Swarm();
                TestClient publisher = new TestClient(
                        ClientConfig.of(broker.address(), "publisher", 5).withCleanSession());
                TestClient subscriber = new TestClient(config)) {
            subscriber.connect();
            assertThat(subscriber.subscribe("t", 1)).isEqualTo(1);
            subscriber.disconnect();
            publisher.connect();

            for (Silent kind : kinds) {
                swarm.open(kind.address(), CONNECTIONS / kinds.size(), number -> kind.manner());
            }
            Await.until("the flood has come", () -> swarm.opened() == CONNECTIONS);
            try (TestClient late = new TestClient(ClientConfig.of(broker.address(), "late", 5))) {
                late.connect(); // in the place of one that says nothing
                assertThat(late.subscribe("late", 1)).isEqualTo(1);
                late.disconnect();
            }
            byte[] payload = new byte[PAYLOAD_BYTES];
            for (int message = 0; message < MESSAGES; message++) {
                var done = publisher.publish("t", payload, 1, false, Properties.NONE);
                publisher.flush();
                assertThat(done.get(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS)
                                .code())
                        .as("message %d", message)
                        .isZero();
            }
        }
        assertThat(linesWith("Too many open files")).isEmpty();
        assertThat(linesWith("FAILED")).isEmpty();
        assertThat(linesWith("all file descriptors for connections are in use"))
                .hasSizeBetween(1, 2 * listeners); // each tells it once a minute
        try (TestClient subscriber = new TestClient(config)) {
            Await.until("there is room for a client again", () -> connects(subscriber));
            for (int message = 0; message < MESSAGES; message++) {
                Packet.Publish received = subscriber.next(Await.PATIENCE);
                assertThat(received).as("message %d", message).isNotNull();
            }
        }
    }

    private static boolean connects(TestClient client) {
        try {
            return client.connect().sessionPresent();
        } catch (IOException e) {
            return false; // the broker has not yet noticed that the flood is over
        }
    }

    private List<String> linesWith(String text) throws IOException {
        try (Stream<Path> files = Files.list(directory.resolve("log"))) {
            return files.flatMap(DescriptorsTest::lines)
                    .filter(line -> line.contains(text))
                    .toList();
        }
    }

    private static Stream<String> lines(Path file) {
        try {
            return Files.readAllLines(file).stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
