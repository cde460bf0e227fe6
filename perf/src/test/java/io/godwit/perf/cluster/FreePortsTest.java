package io.godwit.perf.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.List;
import org.junit.jupiter.api.Test;

class FreePortsTest {
    @Test
    void portsAreDifferentAndBelowThoseOfOutgoingConnections() throws Exception {
        List<Integer> ports = FreePorts.choose(60);

        assertThat(ports).hasSize(60).doesNotHaveDuplicates().allMatch(port -> port >= 20_000 && port < 32_000);
    }

    @Test
    void aPortOnWhichSomebodyListensIsNotFree() throws Exception {
        int port = FreePorts.choose(1).get(0);
        try (ServerSocket other = new ServerSocket()) {
            other.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));

            assertThat(FreePorts.isFree(port)).isFalse();
        }
        assertThat(FreePorts.isFree(port)).isTrue();
    }
}
