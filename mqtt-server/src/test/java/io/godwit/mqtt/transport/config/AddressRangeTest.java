package io.godwit.mqtt.transport.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AddressRangeTest {
    @ParameterizedTest
    @CsvSource({
        "10.0.0.0/8, 10.255.1.2, true",
        "10.0.0.0/8, 11.0.0.0, false",
        "192.168.4.0/22, 192.168.7.255, true",
        "192.168.4.0/22, 192.168.8.0, false",
        "127.0.0.1, 127.0.0.1, true",
        "127.0.0.1, 127.0.0.2, false",
        "0.0.0.0/0, 200.1.2.3, true",
        "0.0.0.0/0, ::1, false",
        "fd00::/8, fdff::1, true",
        "fd00::/9, fd80::1, false",
        "::1, ::1, true"
    })
    void rangesHoldWhatBeginsLikeThem(String range, String address, boolean isIn) throws UnknownHostException {
        InetAddress inet = InetAddress.getByAddress(NetUtil.createByteArrayFromIpAddressString(address));

        assertThat(AddressRange.parse(range).contains(inet)).isEqualTo(isIn);
    }

    /** A host name is not allowed: its addresses may change, and whoever controls them would be trusted. */
    @ParameterizedTest
    @ValueSource(strings = {"", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/x", "10.0.0", "localhost", "::1/129"})
    void anythingElseIsRefused(String text) {
        assertThatThrownBy(() -> AddressRange.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(text);
    }
}
