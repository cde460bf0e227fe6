package io.godwit.perf.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ScenarioNameTest {
    private static Scenario parse(String name) {
        return ScenarioName.parse(name).orElseThrow();
    }

    @Test
    void aNameOfBifromqTellsAllOfItsLoad() {
        Scenario scenario = parse("30k_30k_qos1_p256_1mps_3n_3v");

        assertThat(scenario.topology()).isEqualTo(Topology.ONE_TO_ONE);
        assertThat(scenario.publishers()).isEqualTo(30_000);
        assertThat(scenario.subscribers()).isEqualTo(30_000);
        assertThat(scenario.qos()).isEqualTo(1);
        assertThat(scenario.payloadBytes()).isEqualTo(256);
        assertThat(scenario.ratePerPublisher()).isEqualTo(1);
        assertThat(scenario.nodes()).isEqualTo(3);
        assertThat(scenario.voters()).isEqualTo(3);
        assertThat(scenario.isCleanSession()).isFalse();
        assertThat(scenario.statedRateIn()).isEqualTo(30_000);
        assertThat(scenario.statedRateOut()).isEqualTo(30_000);
    }

    @Test
    void withoutVotersSessionsAreClean() {
        assertThat(parse("1.5k_1.5k_qos1_p32_100mps_1n").isCleanSession()).isTrue();
        assertThat(parse("1.5k_1.5k_qos1_p32_100mps_1n").voters()).isZero();
        assertThat(parse("1.5k_1.5k_qos1_p32_100mps_1n").publishers()).isEqualTo(1_500);
        assertThat(parse("1.5k_1.5k_qos1_p32_100mps_1n").statedRateIn()).isEqualTo(150_000);
    }

    @Test
    void noRateIsAClosedLoop() {
        Scenario closed = parse("50_50_qos1_p32_0mps_1n_1v");
        assertThat(closed.isClosedLoop()).isTrue();
        assertThat(closed.isOpenLoop()).isFalse();
        assertThat(closed.topology()).isEqualTo(Topology.ONE_TO_ONE);
        assertThat(closed.isCleanSession()).isFalse();

        assertThat(parse("rmqtt-1M-40_1n").isClosedLoop()).isTrue();
        assertThat(parse("50_50_qos1_p32_1mps_1n_1v").isClosedLoop()).isFalse();
        assertThat(parse("C10k").isClosedLoop()).isFalse();
        assertThat(parse("conn-tcp-1M-5K_1n_false").isClosedLoop()).isFalse();
    }

    @Test
    void numbersOfBothSidesTellTheTopology() {
        assertThat(parse("1_100000_qos1_p256_1mps_1n").topology()).isEqualTo(Topology.FAN_OUT);
        assertThat(parse("1_100000_qos1_p256_1mps_1n").statedRateOut()).isEqualTo(100_000);
        assertThat(parse("100k_1000_qos1_p256_1mps_1n").topology()).isEqualTo(Topology.SHARED);
        assertThat(parse("100k_1000_qos1_p256_1mps_1n").statedRateOut()).isEqualTo(100_000);
    }

    @Test
    void connectionTestsHaveTheirTransportAndRate() {
        Scenario bifromq = parse("conn-tcp-1M-5K_1n_false");
        assertThat(bifromq.connections()).isEqualTo(1_000_000);
        assertThat(bifromq.connectRate()).isEqualTo(5_000);
        assertThat(bifromq.isCleanSession()).isFalse();
        assertThat(bifromq.family()).isEqualTo(Family.BIFROMQ);

        assertThat(parse("conn-ssl-100K-500").security()).isEqualTo(Security.TLS);
        assertThat(parse("conn-dual-ssl-100K-500").security()).isEqualTo(Security.MUTUAL_TLS);
        assertThat(parse("conn-tcp-300K-1K").family()).isEqualTo(Family.EMQ);
    }

    @ParameterizedTest
    @CsvSource({
        "qos0-p256-40K-0, FAN_IN, 4000, 0, 256, 10",
        "qos0-p256-15-0, FAN_IN, 2, 0, 256, 7.5",
        "qos0-p100K-1K-0, FAN_IN, 1000, 0, 102400, 1",
        "qos1-p10K-5K-0, FAN_IN, 1000, 0, 10240, 5",
        "qos2-p256-20K-0, FAN_IN, 4000, 0, 256, 5",
        "qos2-p10K-3k-0, FAN_IN, 600, 0, 10240, 5",
        "qos0-p256-4-40K, FAN_OUT, 4, 10000, 256, 1",
        "qos1-p10k-1-5K, FAN_OUT, 1, 5000, 10240, 1",
        "qos1-p64-15K-15K, SHARED, 1500, 10, 64, 10",
        "qos2-p256-7K-7K, SHARED, 700, 10, 256, 10"
    })
    void idsOfEmqHaveTheConnectionsOfTheReport(
            String name, Topology topology, int publishers, int subscribers, int payload, double rate) {
        Scenario scenario = parse(name);

        assertThat(scenario.topology()).isEqualTo(topology);
        assertThat(scenario.publishers()).isEqualTo(publishers);
        assertThat(scenario.subscribers()).isEqualTo(subscribers);
        assertThat(scenario.payloadBytes()).isEqualTo(payload);
        assertThat(scenario.ratePerPublisher()).isEqualTo(rate);
        assertThat(scenario.background()).isEqualTo(100_000);
    }

    @Test
    void rmqttIsAClosedLoopOverOwnTopics() {
        Scenario scenario = parse("rmqtt-1M-40_3n");

        assertThat(scenario.topology()).isEqualTo(Topology.RANDOM);
        assertThat(scenario.subscribers()).isEqualTo(1_000_000);
        assertThat(scenario.publishers()).isEqualTo(40);
        assertThat(scenario.qos()).isEqualTo(1);
        assertThat(scenario.isOpenLoop()).isFalse();
        assertThat(scenario.statedRateIn()).isZero();
    }

    @Test
    void mqttServersClientsPublishOneMessageEach() {
        assertThat(parse("C15k").publishers()).isEqualTo(15_000);
        assertThat(parse("C15k").messagesEach()).isOne();
        assertThat(parse("1MB-x1000").payloadBytes()).isEqualTo(1 << 20);
        assertThat(parse("1MB-x1000").publishers()).isEqualTo(1_000);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "30k",
                "30k_30k_qos3_p256_1mps_3n",
                "30k_30k_qos1_p256_3n",
                "qos1-p256-40K",
                "conn-udp-1M-5K",
                "conn-tcp-1M",
                "30k_30k_qos1_p256_1mps_3n_3v_more",
                "rmqtt-1M",
                "MB-x1000"
            })
    void whatHasNoneOfTheFormsIsNoScenario(String name) {
        assertThat(ScenarioName.parse(name)).isEmpty();
    }

    /** Each number of a name is parsed back, in upper or lower case. */
    @Property(tries = 200)
    void whatIsWrittenIsRead(
            @ForAll @IntRange(min = 1, max = 500_000) int publishers,
            @ForAll @IntRange(min = 1, max = 500_000) int subscribers,
            @ForAll @IntRange(max = 2) int qos,
            @ForAll @IntRange(min = 1, max = 100_000) int payload,
            @ForAll @IntRange(min = 1, max = 1_000) int rate,
            @ForAll @IntRange(min = 1, max = 9) int nodes,
            @ForAll boolean isUpper) {
        String name =
                publishers + "_" + subscribers + "_qos" + qos + "_p" + payload + "_" + rate + "mps_" + nodes + "n";
        Scenario scenario = parse(isUpper ? name.toUpperCase(java.util.Locale.ROOT) : name);

        assertThat(scenario.publishers()).isEqualTo(publishers);
        assertThat(scenario.subscribers()).isEqualTo(subscribers);
        assertThat(scenario.qos()).isEqualTo(qos);
        assertThat(scenario.payloadBytes()).isEqualTo(payload);
        assertThat(scenario.ratePerPublisher()).isEqualTo(rate);
        assertThat(scenario.nodes()).isEqualTo(nodes);
    }
}
