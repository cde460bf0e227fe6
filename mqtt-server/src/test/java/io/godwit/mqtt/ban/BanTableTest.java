package io.godwit.mqtt.ban;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BanTableTest {
    private static final TenantId OTHER = new TenantId("other");

    private long now = 1_000;
    private final BanTable bans = new BanTable(() -> now);

    private static ClientInfo client(TenantId tenant, String id, String user, String remote) {
        return new ClientInfo(tenant, new ClientId(id), user, remote, 5);
    }

    private boolean isBanned(String id, String user, String remote) {
        return bans.isBanned(client(TenantId.DEFAULT, id, user, remote));
    }

    private static BanSubject address(String block) {
        return new BanSubject.OfAddress(AddressBlock.parse(block));
    }

    @Test
    void eachSubjectMeansItsOwnAndNothingElse() {
        bans.put(new BanSubject.OfClient(TenantId.DEFAULT, "c"), BanTable.NEVER);
        assertThat(isBanned("c", null, "10.0.0.1:1")).isTrue();
        assertThat(isBanned("C", "c", "10.0.0.1:1")).isFalse();
        assertThat(bans.isBanned(client(OTHER, "c", null, "10.0.0.1:1"))).isFalse();
        bans.put(new BanSubject.OfUser(TenantId.DEFAULT, "u"), BanTable.NEVER);
        assertThat(isBanned("x", "u", "10.0.0.1:1")).isTrue();
        assertThat(isBanned("u", null, "10.0.0.1:1")).isFalse();
        assertThat(bans.isBanned(client(OTHER, "x", "u", "10.0.0.1:1"))).isFalse();
        bans.put(address("10.0.0.0/8"), BanTable.NEVER);
        assertThat(isBanned("x", null, "10.255.0.1:1883")).isTrue();
        assertThat(isBanned("x", null, "11.0.0.1:1883")).isFalse();
        assertThat(bans.isBanned(client(OTHER, "x", null, "10.0.0.1:1")))
                .as("a ban of an address applies to every tenant")
                .isTrue();
        assertThat(bans.size()).isEqualTo(3);
        bans.remove(address("10.0.0.0/8"));
        bans.remove(new BanSubject.OfUser(TenantId.DEFAULT, "u"));
        assertThat(isBanned("x", "u", "10.0.0.1:1")).isFalse();
        assertThat(isBanned("c", null, "10.0.0.1:1")).isTrue();
        bans.remove(new BanSubject.OfClient(TenantId.DEFAULT, "c"));
        assertThat(isBanned("c", null, "10.0.0.1:1")).isFalse();
        assertThat(bans.size()).isZero();
    }

    @Test
    void aBanThatHasEndedHasNoEffectThoughItIsStillThere() {
        bans.put(new BanSubject.OfClient(TenantId.DEFAULT, "c"), 1_500);
        bans.put(address("10.0.0.1"), 1_500);
        now = 1_499;
        assertThat(isBanned("c", null, "")).isTrue();
        assertThat(isBanned("x", null, "10.0.0.1:1")).isTrue();
        now = 1_500;
        assertThat(isBanned("c", null, "")).isFalse();
        assertThat(isBanned("x", null, "10.0.0.1:1")).isFalse();
        now = 1_400;
        assertThat(isBanned("c", null, ""))
                .as("the ban applies again after the clock was set back")
                .isTrue();
        bans.put(new BanSubject.OfClient(TenantId.DEFAULT, "c"), 1_300);
        assertThat(isBanned("c", null, ""))
                .as("the later ban replaces the earlier one")
                .isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "10.1.2.3/8, 10.0.0.0/8",
        "10.1.2.3, 10.1.2.3",
        "10.1.2.3/32, 10.1.2.3",
        "0.0.0.0/0, 0.0.0.0/0",
        "fd00:1::7/16, fd00:0:0:0:0:0:0:0/16",
        "::ffff:10.1.2.3, 10.1.2.3",
        "[::ffff:10.1.2.3], 10.1.2.3",
        "fe80::1%eth0, fe80:0:0:0:0:0:0:1",
        "::ffff:10.1.2.3/104, 10.0.0.0/8",
        "::/0, 0:0:0:0:0:0:0:0/0",
        "2001:db8::1/65, 2001:db8:0:0:0:0:0:0/65"
    })
    void aBlockHasOneSpelling(String text, String spelled) {
        assertThat(AddressBlock.parse(text)).hasToString(spelled);
        assertThat(AddressBlock.parse(spelled)).isEqualTo(AddressBlock.parse(text));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "x",
                "10.0.0.0/33",
                "10.0.0/8",
                "10.0.0.0/-1",
                "10.0.0.0/",
                "::1/129",
                "fe80::1%eth0/64",
                "10.0.0.0/8/8",
                "example.org"
            })
    void whatIsNoBlockIsRefused(String text) {
        assertThatThrownBy(() -> AddressBlock.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void clientsWithoutAnAddressMeetNoBanOfAddresses() {
        bans.put(address("0.0.0.0/0"), BanTable.NEVER);
        bans.put(address("::/0"), BanTable.NEVER);
        assertThat(isBanned("x", null, "local:E:1")).isFalse();
        assertThat(isBanned("x", null, "")).isFalse();
        assertThat(isBanned("x", null, "10.0.0.1:1")).isTrue();
        assertThat(isBanned("x", null, "fe80:0:0:0:0:0:0:1%eth0:1883")).isTrue();
        assertThat(isBanned("x", null, "[fe80::1%eth0]:1883")).isTrue();
    }

    /** Each address is banned exactly when it lies in one of the blocks, looked at one after the other. */
    @Test
    void blocksAreLookedUpAsIfOneAfterTheOther() throws UnknownHostException {
        Random random = new Random(3);
        for (int round = 0; round < 200; round++) {
            BanTable table = new BanTable(() -> now);
            Set<AddressBlock> blocks = new HashSet<>();
            for (int i = 0; i < 8; i++) {
                AddressBlock block = AddressBlock.parse(address(random) + "/" + random.nextInt(33));
                blocks.add(block);
                table.put(new BanSubject.OfAddress(block), BanTable.NEVER);
            }
            for (int i = 0; i < 50; i++) {
                String address = address(random);
                boolean expected = blocks.stream()
                        .anyMatch(block -> AddressBlock.parse(address)
                                .shortened(block.prefixBits())
                                .equals(block));
                assertThat(table.isBanned(InetAddress.getByName(address))).isEqualTo(expected);
                assertThat(table.isBanned(client(TenantId.DEFAULT, "c", null, address + ":1")))
                        .isEqualTo(expected);
            }
        }
    }

    private static String address(Random random) {
        return random.nextInt(3) + "." + random.nextInt(3) + "." + random.nextInt(256) + "." + random.nextInt(256);
    }
}
