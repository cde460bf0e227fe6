package io.godwit.mqtt.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.inbox.client.catalog.IdPattern;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import java.net.InetAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AddressPatternTest {
    private static boolean finds(String asked, String remoteAddress) {
        ClientInfo info = new ClientInfo(TenantId.DEFAULT, new ClientId("c"), null, remoteAddress, 5);
        return new ClientCriteria(null, IdPattern.ANY, null, new AddressPattern(asked), 0, 0).matches(info);
    }

    /** Java spells addresses of clients as it does; operators as they read and write them. */
    @ParameterizedTest
    @CsvSource({
        "10.1.2.3, 10.1.2.3:1883",
        "::ffff:10.1.2.3, 10.1.2.3:1883",
        "10.1.2.3, [::ffff:10.1.2.3]:1883",
        "10.1.2.3, ::ffff:10.1.2.3:1883",
        "10.0.0.0/8, 10.1.2.3:1883",
        "::ffff:10.0.0.0/104, 10.1.2.3:1883",
        "::1, 0:0:0:0:0:0:0:1:1883",
        "[::1], 0:0:0:0:0:0:0:1:1883",
        "0:0:0:0:0:0:0:1, [::1]:1883",
        "fe80::1, fe80:0:0:0:0:0:0:1%eth0:1883",
        "fe80::1%eth0, fe80:0:0:0:0:0:0:1%eth0:1883",
        "fe80::1%2, fe80:0:0:0:0:0:0:1%eth0:1883",
        "fe80::1, [fe80::1%eth0]:1883",
        "FE80::/10, fe80:0:0:0:0:0:0:1%eth0:1883",
        "local, local",
    })
    void oneClientIsFoundByEachSpelling(String asked, String remoteAddress) {
        assertThat(finds(asked, remoteAddress)).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "10.1.2.3, 10.1.2.4:1883",
        "10.0.0.0/8, 11.1.2.3:1883",
        "0.0.0.0/0, ::1:1883",
        "::/0, 10.1.2.3:1883",
        "fe80::1, fe80:0:0:0:0:0:0:2%eth0:1883",
        "10.0.0.0/33, 10.0.0.0:1883",
        "10.0.0.0/8, local",
        "local, 10.1.2.3:1883",
    })
    void othersAreNot(String asked, String remoteAddress) {
        assertThat(finds(asked, remoteAddress)).isFalse();
    }

    @Test
    void anAddressIsFoundAsJavaSpellsIt() throws Exception {
        for (String each : new String[] {"2001:db8::ff", "::ffff:1.2.3.4", "127.0.0.1", "fe80::abcd"}) {
            assertThat(finds(each, InetAddress.getByName(each).getHostAddress() + ":5"))
                    .as(each)
                    .isTrue();
        }
    }
}
