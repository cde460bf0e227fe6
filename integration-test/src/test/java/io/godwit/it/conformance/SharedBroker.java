package io.godwit.it.conformance;

import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.broker.Ports;
import io.godwit.it.broker.SharedByPackage;
import io.godwit.mqtt.certificates.TestAuthority;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import javax.net.ssl.SSLSocketFactory;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ClassTemplateInvocationContext;
import org.junit.jupiter.api.extension.ClassTemplateInvocationContextProvider;
import org.junit.jupiter.api.extension.Extension;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Starts one broker before the first class that needs it; {@link SharedByPackage} ends it after the last. Its settings
 * are the defaults, with a listener for each {@link Transport} but {@link Transport#NODES}, which has the
 * {@link SharedCluster} started instead; a class runs once for each of them.
 */
final class SharedBroker implements ClassTemplateInvocationContextProvider {
    private static final TestAuthority AUTHORITY = new TestAuthority("root");
    /** Of clients. One for all: they resume each other's TLS sessions, which costs less. */
    static final SSLSocketFactory TLS_SOCKETS = AUTHORITY.clientContext(null).getSocketFactory();

    /** Where a transport ends: one address, or one of each node. Started when the first class asks. */
    private static List<InetSocketAddress> addresses(Transport transport, ExtensionContext context) {
        return transport == Transport.NODES
                ? SharedByPackage.get(context, SharedCluster.class, SharedCluster::new)
                        .addresses()
                : List.of(SharedByPackage.get(context, Running.class, Running::new)
                        .address(transport));
    }

    @Override
    public boolean supportsClassTemplate(ExtensionContext context) {
        return true;
    }

    @Override
    public Stream<Over> provideClassTemplateInvocationContexts(ExtensionContext context) {
        OverEachTransport which = context.getRequiredTestClass().getAnnotation(OverEachTransport.class);
        return Transport.ofThisRun(which != null && which.isTimed()).stream().map(Over::new);
    }

    /** All tests of a class over one transport. */
    record Over(Transport transport) implements ClassTemplateInvocationContext {
        @Override
        public String getDisplayName(int invocationIndex) {
            return transport.name().toLowerCase(Locale.ROOT);
        }

        @Override
        public void prepareInvocation(ExtensionContext context) {
            addresses(transport, context); // not within the time of the first test
        }

        @Override
        public List<Extension> getAdditionalExtensions() {
            BeforeEachCallback begin = test -> Wire.over(transport, addresses(transport, test));
            return transport == Transport.NODES ? List.of(begin, new NotOverNodes()) : List.of(begin);
        }
    }

    /** Made by the first class that needs it. */
    static final class Running implements Closeable {
        private final Path home;
        private final BrokerProcess broker;
        private final Map<Transport, InetSocketAddress> addresses = new EnumMap<>(Transport.class);

        Running() {
            try {
                home = Files.createTempDirectory("conformance");
                TestAuthority.write(home, "server", AUTHORITY.issue("CN=server"));
                broker = new BrokerProcess(home);
                addresses.put(Transport.TCP, broker.address());
                listen(Transport.TLS);
                listen(Transport.WS);
                listen(Transport.WSS);
                broker.start();
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }

        private void listen(Transport transport) throws IOException {
            InetSocketAddress address = Ports.free();
            String certificate = transport.isTls() ? ", sslConfig: {certFile: server.crt, keyFile: server.key}" : "";
            broker.mqttSetting(
                    transport.name().toLowerCase(Locale.ROOT) + "Listener",
                    "{port: " + address.getPort() + certificate + '}');
            addresses.put(transport, address);
        }

        InetSocketAddress address(Transport transport) {
            return Objects.requireNonNull(addresses.get(transport), () -> "no listener for " + transport);
        }

        @Override
        public void close() throws IOException {
            broker.close();
            delete(home);
        }
    }

    /** With all that is in it. */
    static void delete(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
