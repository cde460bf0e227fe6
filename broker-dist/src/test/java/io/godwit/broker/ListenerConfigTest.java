package io.godwit.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.godwit.mqtt.transport.ListenerConfig;
import io.godwit.mqtt.transport.ListenerLimits;
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

    @Test
    void oneMappingIsOneListener() throws Exception {
        ListenerConfig only = single(load("mqttServerConfig: {tcpListener: {host: 0.0.0.0, port: 2883}}"));

        assertThat(only.address().getAddress().isAnyLocalAddress()).isTrue();
        assertThat(only.address().getPort()).isEqualTo(2883);
    }

    /** What a listener does not say is said for the node. */
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
                        new ListenerLimits(2 * 1024 * 1024, 0, Duration.ofSeconds(20), 0, 0, 100, 0),
                        new ListenerLimits(1000, 2000, Duration.ofSeconds(3), 4, 5, 6, 7));
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
