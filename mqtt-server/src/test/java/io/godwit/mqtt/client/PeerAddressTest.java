package io.godwit.mqtt.client;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PeerAddressTest {
    @ParameterizedTest
    @CsvSource({
        "127.0.0.1:1883, 127.0.0.1, 1883",
        "0:0:0:0:0:0:0:1:65535, 0:0:0:0:0:0:0:1, 65535",
        "local:E:1a2b, local:E:1a2b, 0",
        "somewhere, somewhere, 0",
        "a:123456, a:123456, 0",
        "a:, a:, 0"
    })
    void portAndHostAreToldApart(String remoteAddress, String host, int port) {
        assertThat(PeerAddress.hostOf(remoteAddress)).isEqualTo(host);
        assertThat(PeerAddress.portOf(remoteAddress)).isEqualTo(port);
    }
}
