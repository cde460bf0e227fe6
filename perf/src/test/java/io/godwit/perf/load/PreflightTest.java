package io.godwit.perf.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.perf.load.client.ClientSettings;
import io.godwit.perf.load.client.Endpoint;
import io.godwit.perf.scenario.Scenario;
import io.godwit.perf.scenario.ScenarioName;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class PreflightTest {
    private static final Scenario MANY =
            ScenarioName.parse("100k_100k_qos0_p256_1mps_1n").orElseThrow();

    private static ClientSettings from(String... addresses) {
        return new ClientSettings(
                Endpoint.parseAll("broker.example:1883", 1_883), List.of(addresses), null, null, true, null, null, 60);
    }

    private static List<String> obstacles(Scenario scenario, ClientSettings clients, long files) {
        return Preflight.obstacles(
                scenario, clients, OptionalLong.of(files), OptionalLong.of(28_000), false, OptionalLong.of(262_144));
    }

    @Test
    void tooFewFilesAreToldBeforeTheRun() {
        assertThat(obstacles(MANY, from("10.0.0.1"), 20_000))
                .anySatisfy(text -> assertThat(text).contains("200,000 connections", "20,000", "--scale 0.099"));
    }

    @Test
    void aScaleThatIsNamedFits() {
        assertThat(obstacles(MANY.scaled(0.099), from("10.0.0.1"), 20_000)).isEmpty();
    }

    @Test
    void aConnectionOverWebSocketIsThreeFilesAndTwoTrackedConnections() {
        ClientSettings overWebSocket = new ClientSettings(
                Endpoint.parseAll("ws://broker.example", 1_883), List.of("10.0.0.1"), null, null, true, null, null, 60);

        assertThat(obstacles(MANY.scaled(0.099), overWebSocket, 20_000))
                .anySatisfy(text -> assertThat(text).contains("3 times as many", "--scale 0.33 fits"));
        assertThat(obstacles(MANY.scaled(0.099).scaled(0.33), overWebSocket, 20_000))
                .isEmpty();
        assertThat(Preflight.obstacles(
                        MANY.scaled(0.1),
                        overWebSocket,
                        OptionalLong.empty(),
                        OptionalLong.empty(),
                        false,
                        OptionalLong.of(30_000)))
                .singleElement()
                .satisfies(text -> assertThat(text).contains("2 entries each", "--scale 0.75 fits"));
    }

    @Test
    void moreLocalAddressesHaveMorePorts() {
        assertThat(obstacles(MANY, from("10.0.0.1"), 1_000_000))
                .anySatisfy(text -> assertThat(text).contains("28,000", "--ifaddrs"));
        String[] addresses = new String[8];
        java.util.Arrays.fill(addresses, "10.0.0.2");
        assertThat(obstacles(MANY, from(addresses), 1_000_000)).isEmpty();
    }

    @Test
    void theKernelsTableOfConnectionsIsMinded() {
        assertThat(Preflight.obstacles(
                        MANY,
                        from("10.0.0.1"),
                        OptionalLong.empty(),
                        OptionalLong.empty(),
                        false,
                        OptionalLong.of(150_000)))
                .singleElement()
                .satisfies(text -> assertThat(text).contains("nf_conntrack_max"));
    }

    @Test
    void whatCannotBeToldStandsAgainstNothing() {
        assertThat(Preflight.obstacles(
                        MANY, from(), OptionalLong.empty(), OptionalLong.empty(), true, OptionalLong.empty()))
                .isEmpty();
    }
}
