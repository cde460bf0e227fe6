package io.godwit.mqtt.transport.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.mqtt.ban.AutomaticBan;
import io.godwit.mqtt.ban.AutomaticBanQuery;
import io.godwit.mqtt.ban.BanTable;
import io.godwit.mqtt.transport.config.BanConfig;
import io.godwit.mqtt.transport.report.MqttMetrics;
import io.godwit.mqtt.transport.report.MqttReports;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.event.BanCause;
import io.godwit.plugin.event.BrokerEvent;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class BansTest {
    private static final InetAddress GUESSER = address("192.0.2.7");
    private static final InetAddress OTHER = address("192.0.2.8");
    private static final ClientInfo CLIENT = client("flapper", TenantId.DEFAULT);

    private final List<BrokerEvent> events = new ArrayList<>();
    private long now = Long.MAX_VALUE - 1000; // the clock may pass over its end

    private static InetAddress address(String text) {
        try {
            return InetAddress.getByName(text);
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e);
        }
    }

    private static ClientInfo client(String clientId, TenantId tenant) {
        return new ClientInfo(tenant, new ClientId(clientId), null, "192.0.2.7:1", 5);
    }

    /** Else a client could have the one of another tenant banned that has the same client id. */
    @Test
    void aClientIdIsBannedWithinItsTenantAndMountPoint() {
        Bans bans = bans(0, 0, 0, 1);
        bans.flapped(GUESSER, CLIENT, "here/");
        bans.flapped(GUESSER, CLIENT, "here/");
        assertThat(bans.isBanned(CLIENT, "here/")).isTrue();
        assertThat(bans.isBanned(CLIENT, "there/")).isFalse();
        assertThat(bans.isBanned(CLIENT, "")).isFalse();
        assertThat(bans.isBanned(client("flapper", new TenantId("other")), "here/"))
                .isFalse();
    }

    private Bans bans(int logins, int violations, int flaps, int clientFlaps) {
        return new Bans(
                new BanConfig(
                        logins,
                        violations,
                        flaps,
                        clientFlaps,
                        Duration.ofSeconds(5),
                        Duration.ofSeconds(60),
                        Duration.ofMinutes(5)),
                () -> now,
                new MqttReports(new MqttMetrics(new SimpleMeterRegistry()), events::add),
                new BanTable(() -> 0));
    }

    private void pass(int seconds) {
        now += Duration.ofSeconds(seconds).toNanos();
    }

    @Test
    void whoIsBannedStaysSoForTheTimeThatWasToldWhateverTheNumbersBecome() {
        Bans bans = bans(1, 0, 0, 0);
        bans.loginFailed(GUESSER);
        bans.loginFailed(GUESSER);
        bans.reconfigure(
                new BanConfig(0, 0, 0, 0, Duration.ofSeconds(5), Duration.ofSeconds(60), Duration.ofSeconds(1)));
        pass(299);
        assertThat(bans.isBanned(GUESSER)).isTrue();
        pass(1);
        assertThat(bans.isBanned(GUESSER)).isFalse();
        bans.loginFailed(OTHER);
        bans.loginFailed(OTHER);
        assertThat(bans.isBanned(OTHER))
                .as("failed logins are no longer counted")
                .isFalse();
    }

    @Test
    void aShorterBanDoesNotEndALongerOne() {
        Bans bans = bans(1, 0, 0, 0);
        bans.loginFailed(GUESSER);
        bans.loginFailed(GUESSER);
        bans.reconfigure(
                new BanConfig(1, 0, 0, 0, Duration.ofSeconds(5), Duration.ofSeconds(60), Duration.ofSeconds(1)));
        bans.loginFailed(OTHER);
        bans.loginFailed(OTHER);
        assertThat(bans.isBanned(OTHER)).isTrue();
        pass(1);
        assertThat(bans.isBanned(OTHER)).isFalse();
        assertThat(bans.isBanned(GUESSER)).isTrue();
    }

    @Test
    void oneFailureMoreThanAllowedIsABanForItsTime() {
        Bans bans = bans(3, 0, 0, 0);
        for (int i = 0; i < 3; i++) {
            bans.loginFailed(GUESSER);
            pass(10);
        }
        assertThat(bans.isBanned(GUESSER)).isFalse();
        bans.loginFailed(GUESSER);
        bans.loginFailed(GUESSER);
        assertThat(bans.isBanned(GUESSER)).isTrue();
        assertThat(bans.isBanned(OTHER)).isFalse();
        assertThat(events)
                .containsExactly(
                        new BrokerEvent.Banned(BanCause.SOURCE_FAILED_LOGINS, "192.0.2.7", Duration.ofMinutes(5)));

        pass(299);
        assertThat(bans.isBanned(GUESSER)).isTrue();
        pass(1);
        assertThat(bans.isBanned(GUESSER)).isFalse();
        bans.loginFailed(GUESSER);
        assertThat(bans.isBanned(GUESSER)).isFalse();
    }

    /** The end of a ban goes unnoticed while no other key is banned. */
    @Test
    void whoWasBannedIsBannedAgain() {
        Bans bans = bans(1, 0, 0, 0);
        for (int i = 0; i < 3; i++) {
            bans.loginFailed(GUESSER);
            assertThat(bans.isBanned(GUESSER)).isFalse();
            bans.loginFailed(GUESSER);
            assertThat(bans.isBanned(GUESSER)).as("ban " + i).isTrue();
            pass(301);
            assertThat(bans.isBanned(GUESSER)).isFalse();
        }
    }

    @Test
    void failuresThatAreFewInAnyWindowAreNone() {
        Bans bans = bans(3, 0, 0, 0);
        for (int i = 0; i < 100; i++) {
            bans.loginFailed(GUESSER);
            pass(21);
        }
        assertThat(events).isEmpty();
    }

    @Test
    void whatIsNotCountedBansNobody() {
        Bans bans = bans(0, 0, 0, 0);
        for (int i = 0; i < 10_000; i++) {
            bans.loginFailed(GUESSER);
            bans.violated(GUESSER);
            bans.flapped(GUESSER, CLIENT, "");
        }
        assertThat(bans.isFlap(0)).isFalse();
        assertThat(bans.isBanned(GUESSER)).isFalse();
        assertThat(bans.isBanned(CLIENT, "")).isFalse();
    }

    /** Each kind has a count of its own. */
    @Test
    void clientIdsAreBannedForFlappingOnly() {
        Bans bans = bans(0, 1, 100, 1);
        assertThat(bans.isFlap(4)).isTrue();
        assertThat(bans.isFlap(5)).isFalse();
        bans.violated(GUESSER);
        bans.flapped(GUESSER, CLIENT, "");
        assertThat(events).isEmpty();
        bans.flapped(OTHER, CLIENT, "");
        assertThat(bans.isBanned(CLIENT, "")).isTrue();
        assertThat(bans.isBanned(client("another", TenantId.DEFAULT), "")).isFalse();
        assertThat(bans.isBanned(GUESSER)).isFalse();
        bans.violated(GUESSER);
        assertThat(bans.isBanned(GUESSER)).isTrue();
        assertThat(events)
                .extracting(event -> ((BrokerEvent.Banned) event).cause())
                .containsExactly(BanCause.CLIENT_FLAPPING, BanCause.SOURCE_VIOLATIONS);
    }

    @Test
    void aSiteOfIpv6IsOneSource() {
        Bans bans = bans(1, 0, 0, 0);
        bans.loginFailed(address("2001:db8::1"));
        bans.loginFailed(address("2001:db8::2:3"));
        assertThat(bans.isBanned(address("2001:db8::ffff"))).isTrue();
        assertThat(bans.isBanned(address("2001:db8:0:1::1"))).isFalse();
    }

    /** Memory is bounded: the least recently used source is forgotten, and one that keeps trying is not. */
    @Test
    void onlySoManyAreRemembered() {
        FailureCounts<Integer> counts = new FailureCounts<>(1, 1000, 1000, key -> "id" + key);
        for (int key = 0; key < 3; key++) {
            counts.failed(key, 0);
            counts.failed(key, 0);
        }
        for (int key = 3; key < FailureCounts.MAX_KEYS; key++) {
            counts.failed(key, 0);
        }
        assertThat(counts.isBanned(1, 0)).isTrue();
        counts.failed(-1, 0);
        assertThat(counts.isBanned(0, 0)).isFalse();
        assertThat(counts.isBanned(1, 0)).isTrue();
        assertThat(counts.isBanned(2, 0)).isTrue();
        assertThat(counts.bans("", 10, key -> true, 0))
                .as("a forgotten ban is not listed")
                .extracting(FailureCounts.Ban::key)
                .containsExactly(1, 2);
    }

    private static AutomaticBanQuery query(String from, int limit) {
        return new AutomaticBanQuery(null, true, true, from, limit);
    }

    @Test
    void whoIsBannedIsListedWithTheReasonUntilTheEnd() {
        Bans bans = bans(1, 1, 0, 1);
        for (int i = 0; i < 2; i++) {
            bans.loginFailed(GUESSER);
            bans.violated(address("2001:db8::7"));
            bans.flapped(OTHER, CLIENT, "here/");
        }
        pass(100);
        bans.loginFailed(OTHER);
        bans.loginFailed(OTHER);
        List<AutomaticBan> all = bans.automatic(query("", 10));
        assertThat(all).extracting(AutomaticBan::id).isSorted().allMatch(AutomaticBan::isId);
        assertThat(all)
                .extracting(ban -> ban.cause() + " " + ban.tenant() + " " + ban.mountPoint() + " " + ban.subject() + " "
                        + ban.age().toSeconds() + " " + ban.left().toSeconds())
                .containsExactly(
                        "CLIENT_FLAPPING default here/ flapper 100 200",
                        "SOURCE_FAILED_LOGINS   192.0.2.7 100 200",
                        "SOURCE_FAILED_LOGINS   192.0.2.8 0 300",
                        "SOURCE_VIOLATIONS   2001:db8:0:0:0:0:0:0/64 100 200");
        assertThat(bans.automatic(query("", 2))).isEqualTo(all.subList(0, 2));
        assertThat(bans.automatic(query(all.get(1).id(), 2))).isEqualTo(all.subList(1, 3));
        assertThat(bans.automatic(new AutomaticBanQuery(null, false, true, "", 10)))
                .isEqualTo(all.subList(1, 4));
        assertThat(bans.automatic(new AutomaticBanQuery(null, true, false, "", 10)))
                .isEqualTo(all.subList(0, 1));
        assertThat(bans.automatic(new AutomaticBanQuery(TenantId.DEFAULT, true, true, "", 10)))
                .isEqualTo(all.subList(0, 1));
        assertThat(bans.automatic(new AutomaticBanQuery(new TenantId("other"), true, true, "", 10)))
                .isEmpty();
        pass(200);
        assertThat(bans.automatic(query("", 10)))
                .extracting(AutomaticBan::subject)
                .containsExactly("192.0.2.8");
    }

    @Test
    void aBanOfTheOwnMachineOverIpv6IsToldAsSuch() {
        Bans bans = bans(1, 0, 0, 0);
        bans.loginFailed(address("::1"));
        bans.loginFailed(address("::1"));
        assertThat(bans.automatic(query("", 2)))
                .extracting(AutomaticBan::subject)
                .containsExactly("0:0:0:0:0:0:0:0/64");
    }

    @Test
    void aBanIsLiftedWithinItsTenantOnly() {
        Bans bans = bans(1, 0, 0, 1);
        for (int i = 0; i < 2; i++) {
            bans.loginFailed(GUESSER);
            bans.flapped(OTHER, CLIENT, "");
        }
        String client = bans.automatic(query("", 10)).get(0).id();
        String source = bans.automatic(query("", 10)).get(1).id();
        assertThat(bans.lift(client, new TenantId("other"))).isFalse();
        assertThat(bans.lift(source, TenantId.DEFAULT)).isFalse();
        assertThat(bans.isBanned(CLIENT, "") && bans.isBanned(GUESSER)).isTrue();
        assertThat(bans.lift(client, TenantId.DEFAULT)).isTrue();
        assertThat(bans.lift(source, null)).isTrue();
        assertThat(bans.lift(source, null)).isFalse();
        assertThat(bans.isBanned(CLIENT, "") || bans.isBanned(GUESSER)).isFalse();
        assertThat(bans.automatic(query("", 10))).isEmpty();
        bans.loginFailed(GUESSER);
        assertThat(bans.isBanned(GUESSER))
                .as("the count starts again after a lifted ban")
                .isFalse();
        bans.loginFailed(GUESSER);
        assertThat(bans.isBanned(GUESSER)).isTrue();
        pass(300);
        assertThat(bans.lift(source, null))
                .as("the ban has already ended by itself")
                .isFalse();
    }
}
