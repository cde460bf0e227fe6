package io.godwit.mqtt.transport.limit;

import static io.godwit.plugin.event.ConnectionLimit.RATE;
import static io.godwit.plugin.event.ConnectionLimit.SOURCE_RATE;
import static io.godwit.plugin.event.ConnectionLimit.SOURCE_TOTAL;
import static io.godwit.plugin.event.ConnectionLimit.TOTAL;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.mqtt.transport.config.ListenerLimits;
import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ConnectionGateTest {
    private static final InetAddress A = address("10.0.0.1");
    private static final InetAddress B = address("10.0.0.2");

    private long nanos = 5_000_000_000L;

    private ConnectionGate gate(int total, int totalOfSource, int rate, int rateOfSource) {
        return new ConnectionGate(
                new ListenerLimits(1024, 0, 0, Duration.ofSeconds(1), total, totalOfSource, rate, rateOfSource),
                () -> nanos);
    }

    private static InetAddress address(String text) {
        try {
            return InetAddress.getByAddress(NetUtil.createByteArrayFromIpAddressString(text));
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException(text, e);
        }
    }

    @Test
    void aConnectionThatEndsMakesRoomForAnother() {
        ConnectionGate gate = gate(2, 0, 0, 0);
        assertThat(gate.enter(A, true)).isNull();
        assertThat(gate.enter(B, true)).isNull();
        assertThat(gate.enter(A, true)).isEqualTo(TOTAL);
        gate.leave(B, true);
        assertThat(gate.enter(A, true)).isNull();
        assertThat(gate.enter(B, true)).isEqualTo(TOTAL);
    }

    @Test
    void whoCameBeforeSourcesHadALimitIsNotTakenFromTheCountOfThoseWhoCameAfter() {
        ConnectionGate gate = gate(0, 0, 0, 0);
        assertThat(gate.countsSources()).isFalse();
        assertThat(gate.enter(A, false)).isNull();
        gate.reconfigure(new ListenerLimits(1024, 0, 0, Duration.ofSeconds(1), 0, 1, 0, 0));
        assertThat(gate.countsSources()).isTrue();
        assertThat(gate.enter(A, true)).isNull();
        gate.leave(A, false);
        assertThat(gate.enter(A, true)).isEqualTo(SOURCE_TOTAL);
        gate.leave(A, true);
        assertThat(gate.enter(A, true)).isNull();
    }

    @Test
    void oneSourceCannotTakeTheRoomOfAnother() {
        ConnectionGate gate = gate(0, 1, 0, 0);
        assertThat(gate.enter(A, true)).isNull();
        assertThat(gate.enter(A, true)).isEqualTo(SOURCE_TOTAL);
        assertThat(gate.enter(B, true)).isNull();
        gate.leave(A, true);
        assertThat(gate.enter(A, true)).isNull();
    }

    @Test
    void theRateHoldsForASecond() {
        ConnectionGate gate = gate(0, 0, 2, 0);
        assertThat(gate.enter(A, true)).isNull();
        assertThat(gate.enter(B, true)).isNull();
        assertThat(gate.enter(B, true)).isEqualTo(RATE);
        nanos += 1_000_000_000L;
        assertThat(gate.enter(B, true)).isNull();
    }

    @Test
    void theRateOfASourceIsItsOwn() {
        ConnectionGate gate = gate(0, 0, 0, 1);
        assertThat(gate.enter(A, true)).isNull();
        assertThat(gate.enter(A, true)).isEqualTo(SOURCE_RATE);
        assertThat(gate.enter(B, true)).isNull();
        nanos += 1_000_000_000L;
        assertThat(gate.enter(A, true)).isNull();
    }

    /** A site has 64 bits of addresses: with each address as a source, the limit would be useless. */
    @Test
    void addressesOfOneSiteAreOneSource() {
        ConnectionGate gate = gate(0, 1, 0, 0);
        assertThat(gate.enter(address("2001:db8:0:1::1"), true)).isNull();
        assertThat(gate.enter(address("2001:db8:0:1:ffff::2"), true)).isEqualTo(SOURCE_TOTAL);
        assertThat(gate.enter(address("2001:db8:0:2::1"), true)).isNull();
    }

    @Test
    void onlySoManyRefusalsAreAnsweredAtOnce() {
        ConnectionGate gate = gate(1, 0, 0, 0);
        for (int i = 0; i < ConnectionGate.MAX_REFUSALS; i++) {
            assertThat(gate.beginRefusal(false)).isTrue();
        }
        assertThat(gate.beginRefusal(false)).isFalse();
        gate.endRefusal();
        assertThat(gate.beginRefusal(false)).isTrue();
    }

    @Test
    void fewAreToldOverTlsInASecond() {
        ConnectionGate gate = gate(1, 0, 0, 0);
        for (int i = 0; i < ConnectionGate.MAX_TLS_REFUSALS; i++) {
            assertThat(gate.beginRefusal(true)).isTrue();
            gate.endRefusal();
        }
        assertThat(gate.beginRefusal(true)).isFalse();
        assertThat(gate.beginRefusal(false)).isTrue();
        nanos += 1_000_000_000L;
        assertThat(gate.beginRefusal(true)).isTrue();
    }
}
