package io.godwit.mqtt.transport.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.mqtt.certificates.TestAuthority;
import io.godwit.mqtt.certificates.TestAuthority.Issued;
import io.godwit.mqtt.transport.tls.TlsConfig.ClientCertificate;
import io.godwit.mqtt.transport.tls.TlsConfig.Engine;
import io.godwit.mqtt.transport.tls.TlsConfig.UserName;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.ssl.SslHandler;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.cert.Certificate;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The files behind a listener's TLS, and the effect of changes on connections; without sockets. */
class ServerTlsTest {
    private static final TestAuthority AUTHORITY = new TestAuthority("root");
    private final Issued first = AUTHORITY.issue("CN=first");

    @TempDir
    Path directory;

    @BeforeEach
    void write() {
        TestAuthority.write(directory, "server", first);
    }

    private TlsConfig config(Engine engine, String... ciphers) {
        return new TlsConfig(
                directory.resolve("server.crt"),
                directory.resolve("server.key"),
                null,
                ClientCertificate.NONE,
                null,
                TlsConfig.PROTOCOLS,
                List.of(ciphers),
                UserName.NONE,
                engine);
    }

    @ParameterizedTest
    @EnumSource(names = {"JDK", "BORINGSSL"})
    void newConnectionsGetTheNewCertificateAndOldOnesGoOn(Engine engine) throws IOException {
        Issued second = AUTHORITY.issue("CN=second");
        SSLContext client = AUTHORITY.clientContext(null);
        try (ServerTls tls = ServerTls.load(config(engine));
                Pair old = new Pair(tls, client)) {
            assertThat(old.presented()).isEqualTo(first.certificate());
            assertThat(tls.reloadIfChanged()).isFalse();

            TestAuthority.write(directory, "server", second);
            assertThat(tls.reloadIfChanged()).isTrue();
            assertThat(tls.reloadIfChanged()).isFalse();
            try (Pair fresh = new Pair(tls, client)) {
                assertThat(fresh.presented()).isEqualTo(second.certificate());
            }
            assertThat(old.carry("still here")).isEqualTo("still here");
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"JDK", "BORINGSSL"})
    void filesThatCannotBeUsedChangeNothing(Engine engine) throws IOException {
        SSLContext client = AUTHORITY.clientContext(null);
        Issued second = AUTHORITY.issue("CN=second");
        try (ServerTls tls = ServerTls.load(config(engine))) {
            Files.writeString(directory.resolve("server.crt"), "half a certi");
            assertThatThrownBy(tls::reloadIfChanged).hasMessageContaining("server.crt has no CERTIFICATE");
            assertThat(tls.reloadIfChanged())
                    .as("the failure is reported only once")
                    .isFalse();
            Files.delete(directory.resolve("server.crt"));
            assertThatThrownBy(tls::reloadIfChanged).hasMessageStartingWith("no such file: ");
            // the new certificate is there before its key
            TestAuthority.writePem(directory.resolve("server.crt"), second.certificate());
            assertThatThrownBy(tls::reloadIfChanged)
                    .hasMessageContaining("server.key is not the key of the certificate in ");
            try (Pair pair = new Pair(tls, client)) {
                assertThat(pair.presented()).isEqualTo(first.certificate());
            }
            TestAuthority.writeKey(directory.resolve("server.key"), second);
            assertThat(tls.reloadIfChanged()).isTrue();
        }
    }

    /** As when there was no file descriptor left: the old certificate would stay until it has expired. */
    @Test
    void filesThatCouldNotBeReadAreReadAgainUnchanged() throws IOException {
        FileTime time = FileTime.fromMillis(1_000_000_000_000L);
        Path file = directory.resolve("server.crt");
        String whole = Files.readString(file);
        try (ServerTls tls = ServerTls.load(config(Engine.JDK))) {
            Files.writeString(file, "x".repeat(whole.length()));
            Files.setLastModifiedTime(file, time);
            assertThatThrownBy(tls::reloadIfChanged).hasMessageContaining("server.crt has no CERTIFICATE");
            Files.writeString(file, whole);
            Files.setLastModifiedTime(file, time);
            assertThat(tls.reloadIfChanged()).isTrue();
            assertThat(tls.reloadIfChanged()).isFalse();
        }
    }

    @Test
    void anUnknownCipherIsNamed() {
        assertThatThrownBy(() -> ServerTls.load(config(Engine.JDK, "TLS_NONE_SUCH")))
                .hasMessageStartingWith("unknown cipher TLS_NONE_SUCH");
        assertThatThrownBy(() -> ServerTls.load(config(Engine.BORINGSSL, "TLS_NONE_SUCH")))
                .hasMessageStartingWith("unknown cipher TLS_NONE_SUCH");
    }

    /** A server and a client that pass their output to each other. */
    private static final class Pair implements AutoCloseable {
        private final EmbeddedChannel server;
        private final EmbeddedChannel client;
        private final SSLEngine clientEngine;

        Pair(ServerTls tls, SSLContext context) {
            clientEngine = context.createSSLEngine("localhost", 1);
            clientEngine.setUseClientMode(true);
            server = new EmbeddedChannel(tls.newHandler(ByteBufAllocator.DEFAULT));
            client = new EmbeddedChannel(new SslHandler(clientEngine));
            exchange();
        }

        private void exchange() {
            boolean isMoving = true;
            while (isMoving) {
                isMoving = move(client, server);
                isMoving |= move(server, client);
            }
        }

        private static boolean move(EmbeddedChannel from, EmbeddedChannel to) {
            boolean hasMoved = false;
            for (ByteBuf bytes = from.readOutbound(); bytes != null; bytes = from.readOutbound()) {
                hasMoved |= bytes.isReadable();
                to.writeInbound(bytes);
            }
            return hasMoved;
        }

        Certificate presented() throws SSLPeerUnverifiedException {
            return clientEngine.getSession().getPeerCertificates()[0];
        }

        String carry(String text) {
            client.writeOutbound(Unpooled.copiedBuffer(text, StandardCharsets.US_ASCII));
            exchange();
            ByteBuf arrived = server.readInbound();
            try {
                return arrived.toString(StandardCharsets.US_ASCII);
            } finally {
                arrived.release();
            }
        }

        @Override
        public void close() {
            client.finishAndReleaseAll();
            server.finishAndReleaseAll();
        }
    }
}
