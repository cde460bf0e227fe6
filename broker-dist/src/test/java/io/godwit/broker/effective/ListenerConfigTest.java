package io.godwit.broker.effective;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.godwit.broker.check.ConfigLoader;
import io.godwit.broker.config.ConfigException;
import io.godwit.dist.client.SharedPick;
import io.godwit.mqtt.certificates.TestAuthority;
import io.godwit.mqtt.transport.config.AllowedOrigins;
import io.godwit.mqtt.transport.config.ListenerConfig;
import io.godwit.mqtt.transport.config.ListenerLimits;
import io.godwit.mqtt.transport.tls.TlsConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The listeners in the configuration file. */
class ListenerConfigTest {
    @TempDir
    Path directory;

    @Test
    void withoutAnyThereIsTcpOnTheLoopbackAddress() throws Exception {
        ListenerConfig only = single(load(""));

        assertThat(only.address().getAddress().isLoopbackAddress()).isTrue();
        assertThat(only.address().getPort()).isEqualTo(1883);
        assertThat(only.limits()).isEqualTo(ListenerLimits.DEFAULTS);
    }

    /**
     * With a provider listeners are open to all machines, as the provider decides about clients; without one only to
     * this machine.
     */
    @Test
    void withAnAuthProviderTheyAreOpenToAll() throws Exception {
        BrokerConfig file = load("authConfig: {provider: file}");
        assertThat(single(file).address().getAddress().isAnyLocalAddress()).isTrue();
        assertThat(BrokerSettings.warnings(file))
                .singleElement()
                .asString()
                .contains("passwords travel in the clear to mqttServerConfig.tcpListener,");
        BrokerConfig allowAll = load("authConfig: {provider: allow-all}");
        assertThat(single(allowAll).address().getAddress().isAnyLocalAddress()).isTrue();
        assertThat(BrokerSettings.warnings(allowAll)).singleElement().asString().contains("allow-all", "everybody");
        assertThat(BrokerSettings.warnings(load("")))
                .singleElement()
                .asString()
                .contains("no authentication is configured", "authConfig.provider");
    }

    /**
     * The shipped file has sections that are switched off and contain the defaults; one with other values was probably
     * meant to be on.
     */
    @Test
    void aListenerThatIsFilledInAndSwitchedOffIsWarnedOf() throws Exception {
        String quiet = "mqttServerConfig: {tlsListener: {enable: false, port: 8883, sslConfig: {clientAuth: none}}}";
        assertThat(BrokerSettings.warnings(load(quiet))).noneMatch(warning -> warning.contains("switched off"));
        String meant = "mqttServerConfig: {tlsListener: {enable: false, sslConfig: {certFile: server.crt}}}";
        assertThat(BrokerSettings.warnings(load(meant)))
                .filteredOn(warning -> warning.contains("mqttServerConfig.tlsListener is filled in and switched off"))
                .hasSize(1);
    }

    @Test
    void aHeapLargerThanTheMachineIsWarnedOf() {
        assertThat(BrokerSettings.heapWarnings(2L << 30, 1L << 30))
                .singleElement()
                .asString()
                .contains("2048 MiB", "1024 MiB", "JVM_HEAP_OPTS");
        assertThat(BrokerSettings.heapWarnings(1L << 30, 1L << 30)).isEmpty();
        assertThat(BrokerSettings.heapWarnings(1L << 30, 0))
                .as("no warning if the machine's memory is unknown")
                .isEmpty();
    }

    /** The loopback address cannot be overheard, and a proxy in front may use TLS. */
    @Test
    void passwordsAreNotInTheClearOnThisMachineOrBehindAProxy() throws Exception {
        BrokerConfig file = load("""
                        authConfig: {provider: file}
                        mqttServerConfig:
                          tcpListener:
                          - {host: 127.0.0.1, port: 1883}
                          - {port: 1884, proxyProtocol: {enable: true, from: 10.0.0.0/8}}
                          - {port: 1885, enable: false}
                        """);
        assertThat(BrokerSettings.warnings(file))
                .singleElement()
                .asString()
                .contains("mqttServerConfig.tcpListener[2]", "switched off");
    }

    @Test
    void oneMappingIsOneListener() throws Exception {
        ListenerConfig only = single(load("mqttServerConfig: {tcpListener: {host: 0.0.0.0, port: 2883}}"));

        assertThat(only.address().getAddress().isAnyLocalAddress()).isTrue();
        assertThat(only.address().getPort()).isEqualTo(2883);
    }

    /** Values that a listener does not have come from the node's settings. */
    @Test
    void aListGivesSeveralEachWithItsOwnLimits() throws Exception {
        List<ListenerConfig> listeners = BrokerSettings.mqtt(load("""
                        mqttServerConfig:
                          maxConnBandwidth: 0
                          connectRate: 100
                          tcpListener:
                            - port: 0
                            - host: 127.0.0.2
                              port: 0
                              maxPacketBytes: 1000
                              maxConnBandwidth: 2000
                              maxPublishRate: 2500
                              connectTimeoutSeconds: 3
                              maxConnections: 4
                              maxConnectionsPerSource: 5
                              connectRate: 6
                              connectRatePerSource: 7
                            - {port: 1, enable: false}
                        """)).listeners();

        assertThat(listeners)
                .extracting(ListenerConfig::limits)
                .containsExactly(
                        new ListenerLimits(2 * 1024 * 1024, 0, 0, Duration.ofSeconds(20), 0, 0, 100, 0),
                        new ListenerLimits(1000, 2000, 2500, Duration.ofSeconds(3), 4, 5, 6, 7));
    }

    @Test
    void aMountPointIsTheBeginningOfATopic() throws Exception {
        assertThat(single(load("mqttServerConfig: {tcpListener: {port: 0, mountPoint: at/%u/}}"))
                        .mountPoint())
                .isEqualTo("at/%u/");
        for (String wrong : List.of("a/+/", "'#'", "$SYS/", "at/%u")) {
            assertThat(errors("mqttServerConfig: {tcpListener: {port: 0, mountPoint: " + wrong + "}}"))
                    .singleElement()
                    .asString()
                    .startsWith("mqttServerConfig.tcpListener.mountPoint: must be the beginning of a topic");
        }
    }

    @Test
    void aListenerMaySayHowSharedGroupsChooseForWhatComesThroughIt() throws Exception {
        assertThat(BrokerSettings.mqtt(load("""
                                mqttServerConfig:
                                  tcpListener:
                                    - {port: 0, sharedSubscriptionStrategy: hash-by-client}
                                    - {port: 0}
                                sessionConfig: {sharedSubscriptionStrategy: round-robin}
                                """)).listeners())
                .extracting(ListenerConfig::sharedPick)
                .containsExactly(SharedPick.HASH_BY_CLIENT, SharedPick.ROUND_ROBIN);
        assertThat(errors("mqttServerConfig: {wsListener: {port: 0, sharedSubscriptionStrategy: best}}"))
                .singleElement()
                .asString()
                .startsWith("mqttServerConfig.wsListener.sharedSubscriptionStrategy: must be one of random");
        assertThat(errors("mqttServerConfig: {tcpListener: {port: 0, sharedSubscriptionStratgy: random}}"))
                .singleElement()
                .asString()
                .endsWith("the nearest valid one is mqttServerConfig.tcpListener.sharedSubscriptionStrategy");
    }

    /** A web page that need not log in would have the rights of anyone on the browser's machine. */
    @Test
    void pagesFromElsewhereMustLogInUnlessTheyAreListed() throws Exception {
        assertThat(origins("", "")).isEqualTo(AllowedOrigins.SAME_HOST);
        assertThat(origins("", "authConfig: {provider: allow-all}")).isEqualTo(AllowedOrigins.SAME_HOST);
        assertThat(origins("", "authConfig: {provider: file}")).isEqualTo(AllowedOrigins.ANY);
        assertThat(origins("any", "")).isEqualTo(AllowedOrigins.ANY);
        String two = "'https://A.example, http://b:8080'";
        for (String provider : List.of("", "authConfig: {provider: file}")) {
            assertThat(origins(two, provider))
                    .isEqualTo(new AllowedOrigins(false, List.of("https://a.example", "http://b:8080")));
        }
        assertThat(errors("mqttServerConfig: {wsListener: {port: 0, allowedOrigins: a.example}}"))
                .singleElement()
                .asString()
                .startsWith("mqttServerConfig.wsListener.allowedOrigins: must be scheme://host");
    }

    private AllowedOrigins origins(String allowed, String more) throws Exception {
        return single(load("mqttServerConfig: {tcpListener: {enable: false}, wsListener: {port: 0, allowedOrigins: "
                        + allowed + "}}\n" + more))
                .origins();
    }

    @Test
    void errorsNameTheListener() {
        assertThat(errors("""
                        mqttServerConfig:
                          tcpListener:
                            - port: 70000
                            - {prt: 1}
                            - 5
                            - {port: [1, 2]}
                        """))
                .anyMatch(e -> e.startsWith("mqttServerConfig.tcpListener[0].port: must be from 0 to 65535"))
                .anyMatch(e -> e.startsWith("mqttServerConfig.tcpListener[1].prt: unknown key (line 4)")
                        && e.endsWith("mqttServerConfig.tcpListener[1].port"))
                .anyMatch(e -> e.startsWith("mqttServerConfig.tcpListener[2]: must hold keys (line 5)"))
                .anyMatch(e -> e.startsWith("mqttServerConfig.tcpListener[3].port: must be a single value"))
                .hasSize(4);
        assertThat(errors("mqttServerConfig: {tcpListener: 1883}"))
                .singleElement()
                .asString()
                .startsWith("mqttServerConfig.tcpListener: must hold keys, or be a list of such");
    }

    @Test
    void twoListenersOnOnePortAreAnError() throws Exception {
        assertThat(errors("mqttServerConfig: {tcpListener: [{port: 2000}, {host: 0.0.0.0, port: 2000}]}"))
                .containsExactly("mqttServerConfig.tcpListener[1].port: 2000 is the port of"
                        + " mqttServerConfig.tcpListener[0] already");
        assertThat(load("mqttServerConfig: {tcpListener: [{host: 127.0.0.2, port: 2000}, {port: 2000}]}")
                        .listeners())
                .hasSize(2);
    }

    @Test
    void everyKeyOfEveryKindIsRead() throws Exception {
        TestAuthority authority = new TestAuthority("root");
        TestAuthority.write(directory, "server", authority.issue("CN=server"));
        TestAuthority.writePem(directory.resolve("root.crt"), authority.certificate());
        authority.writeRevocations(directory.resolve("root.crl"), List.of());
        List<ListenerConfig> listeners = BrokerSettings.mqtt(load("""
                        mqttServerConfig:
                          tcpListener:
                            enable: false
                          tlsListener:
                            port: 0
                            sslConfig:
                              certFile: server.crt
                              keyFile: server.key
                              trustCertsFile: root.crt
                              clientAuth: require
                              crlFile: root.crl
                              protocols: [TLSv1.3]
                              ciphers: TLS_AES_128_GCM_SHA256, TLS_AES_256_GCM_SHA384
                              userName: cn
                              provider: jdk
                          wsListener: {port: 0, wsPath: /events, proxyProtocol: {enable: true, from: [10.0.0.0/8, \
                          "::1"]}}
                          wssListener: {port: 0, sslConfig: {certFile: server.crt, keyFile: server.key}}
                        """)).listeners();

        assertThat(listeners).extracting(ListenerConfig::transport).containsExactly("tls", "ws", "wss");
        assertThat(listeners.get(0).tls())
                .isEqualTo(new TlsConfig(
                        directory.resolve("server.crt"),
                        directory.resolve("server.key"),
                        directory.resolve("root.crt"),
                        TlsConfig.ClientCertificate.REQUIRE,
                        directory.resolve("root.crl"),
                        List.of("TLSv1.3"),
                        List.of("TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384"),
                        TlsConfig.UserName.CN,
                        TlsConfig.Engine.JDK));
        assertThat(listeners.get(1).webSocketPath()).isEqualTo("/events");
        assertThat(listeners.get(1).proxies()).hasToString("[10.0.0.0/8, 0:0:0:0:0:0:0:1/128]");
        assertThat(listeners.get(2).webSocketPath()).isEqualTo("/mqtt");
        assertThat(listeners.get(2).proxies()).isEmpty();
    }

    /** All errors are found before anything opens, and each names key and file. */
    @Test
    void filesThatAreMissingOrDoNotFitAreErrors() throws Exception {
        TestAuthority authority = new TestAuthority("root");
        TestAuthority.write(directory, "one", authority.issue("CN=one"));
        TestAuthority.write(directory, "two", authority.issue("CN=two"));
        Path text = Files.writeString(directory.resolve("text"), "hello");

        assertThat(errors("""
                        mqttServerConfig:
                          tlsListener:
                            - {port: 0}
                            - {port: 0, sslConfig: {certFile: none.crt, keyFile: text}}
                            - {port: 0, sslConfig: {certFile: one.crt, keyFile: two.key}}
                            - {port: 0, sslConfig: {certFile: one.crt, keyFile: one.key, clientAuth: require}}
                            - {port: 0, sslConfig: {certFile: one.crt, keyFile: one.key, userName: cn, crlFile: text}}
                            - {port: 0, sslConfig: {certFile: one.crt, keyFile: one.key, ciphers: [NONE]}}
                            - {port: 0, enable: false, sslConfig: {certFile: none.crt}}
                            - {port: 0, sslConfig: {protocols: [TLSv1.1], clientauth: none}}
                          wsListener: {port: 0, wsPath: mqtt, proxyProtocol: {enable: true, from: example.org}}
                          wssListener: {port: 0, sslConfig: {certFile: one.crt, keyFile: one.key}, proxyProtocol: \
                          {enable: true}}
                        """))
                .contains(
                        "mqttServerConfig.tlsListener[0].sslConfig.certFile: must name a file",
                        "mqttServerConfig.tlsListener[0].sslConfig.keyFile: must name a file",
                        "mqttServerConfig.tlsListener[1].sslConfig.certFile: no such file: "
                                + directory.resolve("none.crt"),
                        "mqttServerConfig.tlsListener[1].sslConfig.keyFile: " + text + " has no private key",
                        "mqttServerConfig.tlsListener[2].sslConfig: " + directory.resolve("two.key")
                                + " is not the key of the certificate in " + directory.resolve("one.crt"),
                        "mqttServerConfig.tlsListener[3].sslConfig.trustCertsFile: must name a file",
                        "mqttServerConfig.tlsListener[4].sslConfig.crlFile: " + text + " has no X509 CRL",
                        "mqttServerConfig.wssListener.proxyProtocol.from: must name the proxies that are believed")
                .anyMatch(e -> e.startsWith("mqttServerConfig.tlsListener[4].sslConfig.userName: has no effect"))
                .anyMatch(e -> e.startsWith("mqttServerConfig.tlsListener[4].sslConfig.crlFile: has no effect"))
                .anyMatch(e -> e.startsWith("mqttServerConfig.tlsListener[5].sslConfig: unknown cipher NONE"))
                .anyMatch(e -> e.startsWith("mqttServerConfig.tlsListener[7].sslConfig.protocols: must be out of"))
                .anyMatch(e -> e.startsWith("mqttServerConfig.tlsListener[7].sslConfig.clientauth: unknown key")
                        && e.endsWith("mqttServerConfig.tlsListener[7].sslConfig.clientAuth"))
                .anyMatch(e -> e.startsWith("mqttServerConfig.wsListener.wsPath: must begin with /"))
                .anyMatch(e -> e.startsWith("mqttServerConfig.wsListener.proxyProtocol.from: must be addresses")
                        && e.contains("example.org"))
                .hasSize(15);
    }

    @Test
    void aBrokerThatNobodyCanReachIsAnError() {
        assertThat(errors("mqttServerConfig: {tcpListener: {enable: false}}"))
                .containsExactly("mqttServerConfig: every listener is switched off");
    }

    private static ListenerConfig single(BrokerConfig config) {
        List<ListenerConfig> listeners = BrokerSettings.mqtt(config).listeners();
        assertThat(listeners).hasSize(1);
        return listeners.get(0);
    }

    private List<String> errors(String yaml) {
        return catchThrowableOfType(ConfigException.class, () -> load(yaml)).errors();
    }

    private BrokerConfig load(String yaml) throws ConfigException, IOException {
        Path file = directory.resolve("test.yml");
        Files.writeString(file, yaml);
        return ConfigLoader.load(file, Map.of());
    }
}
