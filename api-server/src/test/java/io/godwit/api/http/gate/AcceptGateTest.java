package io.godwit.api.http.gate;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.api.FakeCounts;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelId;
import io.netty.channel.embedded.EmbeddedChannel;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class AcceptGateTest {
    private static final Duration LONG = Duration.ofMinutes(1);

    private final FakeCounts counts = new FakeCounts();
    private long nanos;
    private final AcceptGate gate = new AcceptGate(
            new HttpLimits(6, 4, 1_024, 1_024, 1_024, LONG, LONG, LONG, 1_000, 1_000), counts, () -> nanos);
    private final EmbeddedChannel server = new EmbeddedChannel(gate);
    private int port;

    private EmbeddedChannel from(String address) {
        return between(new InetSocketAddress(address, ++port), new InetSocketAddress("10.9.9.9", 8_091));
    }

    private EmbeddedChannel between(SocketAddress remote, SocketAddress local) {
        return between(remote, local, true);
    }

    /** @param isRegistered whether the channel is registered with its event loop */
    private EmbeddedChannel between(SocketAddress remote, SocketAddress local, boolean isRegistered) {
        EmbeddedChannel connection = new EmbeddedChannel(DefaultChannelId.newInstance(), isRegistered, false) {
            @Override
            protected SocketAddress remoteAddress0() {
                return remote;
            }

            @Override
            protected SocketAddress localAddress0() {
                return local;
            }
        };
        server.writeInbound(connection);
        return connection;
    }

    private List<EmbeddedChannel> from(String address, int count) {
        List<EmbeddedChannel> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            all.add(from(address));
        }
        return all;
    }

    /** Of a caller with no other connection. */
    private void known(EmbeddedChannel connection) {
        known(connection, "caller of " + connection.remoteAddress());
    }

    private void known(EmbeddedChannel connection, String caller) {
        gate.known(connection.remoteAddress(), connection.localAddress(), caller);
    }

    private void end(EmbeddedChannel connection) {
        gate.end(connection.remoteAddress(), connection.localAddress());
    }

    private static List<Boolean> open(List<EmbeddedChannel> all) {
        return all.stream().map(EmbeddedChannel::isOpen).toList();
    }

    @Test
    void aSourceWithManyMakesRoomForOneWithFewer() {
        List<EmbeddedChannel> many = from("10.0.0.1", 4);
        List<EmbeddedChannel> few = from("10.0.0.2", 2);
        EmbeddedChannel another = from("10.0.0.3");
        assertThat(another.isOpen()).isTrue();
        assertThat(open(many)).containsExactly(false, true, true, true);
        assertThat(open(few)).containsOnly(true);
        assertThat(gate.open()).isEqualTo(6);
        another.close();
        assertThat(gate.open()).isEqualTo(5);
    }

    @Test
    void noSourceGetsMorePlacesThanOthers() {
        List<EmbeddedChannel> one = from("10.0.0.1", 3);
        List<EmbeddedChannel> other = from("10.0.0.2", 2);
        EmbeddedChannel third = from("10.0.0.3");
        assertThat(from("10.0.0.2").isOpen()).isFalse();
        assertThat(from("10.0.0.3").isOpen()).isTrue();
        assertThat(open(one)).containsExactly(false, true, true);
        assertThat(open(other)).containsOnly(true);
        assertThat(third.isOpen()).isTrue();
        assertThat(from("10.0.0.1").isOpen()).isFalse();
        assertThat(counts.all()).containsOnly(Map.entry("refused ALL", 2), Map.entry("closed REPLACED", 1));
        assertThat(counts.open()).isEqualTo(6);
        assertThat(gate.open()).isEqualTo(6);
    }

    /** The pipeline may wait for a client that reads nothing. */
    @Test
    void aReplacedOrEndedConnectionClosesAlthoughItsPipelineWaits() {
        List<EmbeddedChannel> many = from("10.0.0.1", 4);
        for (EmbeddedChannel each : many) {
            each.pipeline().addFirst(new ChannelOutboundHandlerAdapter() {
                @Override
                public void close(ChannelHandlerContext ctx, ChannelPromise promise) {
                    // until earlier data has been read
                }
            });
        }
        from("10.0.0.2", 2);
        from("10.0.0.3");
        assertThat(open(many)).containsExactly(false, true, true, true);
        end(many.get(2));
        end(many.get(2)); // is none any more
        assertThat(open(many)).containsExactly(false, true, false, true);
        assertThat(gate.open()).isEqualTo(5);
        assertThat(counts.open()).isEqualTo(5);
    }

    @Test
    void aConnectionReplacedBeforeItsRegistrationIsClosed() {
        EmbeddedChannel early =
                between(new InetSocketAddress("10.0.0.1", ++port), new InetSocketAddress("10.9.9.9", 8_091), false);
        from("10.0.0.1", 3);
        assertThat(counts.open()).isEqualTo(4);
        from("10.0.0.1");
        assertThat(early.isOpen()).isFalse();
        assertThat(gate.open()).isEqualTo(4);
        assertThat(counts.open()).isEqualTo(4);
    }

    @Test
    void knownConnectionsStay() {
        List<EmbeddedChannel> many = from("10.0.0.1", 4);
        known(many.get(0));
        List<EmbeddedChannel> few = from("10.0.0.2", 2);
        from("10.0.0.3");
        assertThat(open(many)).containsExactly(true, false, true, true);
        known(many.get(2));
        known(many.get(3));
        assertThat(from("10.0.0.4").isOpen()).isTrue();
        assertThat(open(many)).containsExactly(true, false, true, true);
        assertThat(open(few)).containsExactly(false, true);
        assertThat(from("10.0.0.5").isOpen()).isFalse(); // three others have one each
        many.get(0).close();
        assertThat(from("10.0.0.5").isOpen()).isTrue();
    }

    /** A host may have several addresses, and another one connects to each from the same port. */
    @Test
    void connectionsFromOnePortToSeveralAddressesAreToldApart() {
        InetSocketAddress remote = new InetSocketAddress("10.0.0.1", 7);
        EmbeddedChannel one = between(remote, new InetSocketAddress("10.9.9.1", 8_091));
        EmbeddedChannel other = between(remote, new InetSocketAddress("10.9.9.2", 8_091));
        known(other);
        from("10.0.0.1", 2);
        assertThat(from("10.0.0.1").isOpen()).isTrue();
        assertThat(one.isOpen()).as("the oldest unknown connection is closed").isFalse();
        assertThat(other.isOpen()).isTrue();
        EmbeddedChannel again = between(remote, new InetSocketAddress("10.9.9.1", 8_091));
        end(other);
        assertThat(other.isOpen()).isFalse();
        assertThat(again.isOpen()).isTrue();
        assertThat(gate.open()).isEqualTo(3);
    }

    /** They may share the address of a caller with a token who has not connected before. */
    @Test
    void strangersDoNotFillTheirSourceForGood() {
        List<EmbeddedChannel> many = from("10.0.0.1", 4);
        known(many.get(0));
        EmbeddedChannel another = from("10.0.0.1");
        assertThat(another.isOpen()).isTrue();
        assertThat(open(many)).containsExactly(true, false, true, true);
        known(many.get(2));
        known(many.get(3));
        known(another);
        assertThat(from("10.0.0.1").isOpen())
                .as("a part of the places of a source stays for strangers")
                .isTrue();
        assertThat(another.isOpen()).isFalse();
        assertThat(open(many)).containsExactly(true, false, true, true);
        assertThat(counts.all()).containsOnly(Map.entry("closed REPLACED", 2));
        assertThat(gate.open()).isEqualTo(4);
    }

    /** Its connections beyond half of the places are replaced like those of strangers. */
    @Test
    void oneCallerLeavesPlacesOfItsAddressToOthers() {
        List<EmbeddedChannel> many = from("10.0.0.1", 4);
        many.forEach(each -> known(each, "one"));
        EmbeddedChannel another = from("10.0.0.1");
        known(another, "two");
        assertThat(open(many)).containsExactly(true, true, false, true);
        EmbeddedChannel health = from("10.0.0.1");
        assertThat(health.isOpen()).isTrue();
        assertThat(open(many)).containsExactly(true, true, false, false);
        assertThat(another.isOpen()).isTrue();
        for (int i = 0; i < 10; i++) {
            EmbeddedChannel more = from("10.0.0.1");
            known(more, "one");
            assertThat(more.isOpen()).isTrue();
        }
        assertThat(open(many)).containsExactly(true, true, false, false);
        assertThat(another.isOpen()).as("another caller keeps its connection").isTrue();
        assertThat(gate.open()).isEqualTo(4);
    }

    /** A caller that uses a connection beyond its half is probably in the middle of a request. */
    @Test
    void aConnectionInUseIsReplacedAfterOthersOfItsAddress() {
        List<EmbeddedChannel> many = from("10.0.0.1", 4);
        List.of(many.get(0), many.get(1), many.get(2)).forEach(each -> known(each, "one"));
        EmbeddedChannel another = from("10.0.0.1");
        assertThat(open(many)).as("the last one has sent no token").containsExactly(true, true, true, false);
        known(many.get(2), "one");
        assertThat(from("10.0.0.1").isOpen()).isTrue();
        assertThat(another.isOpen()).isFalse();
        assertThat(open(many)).containsExactly(true, true, true, false);
        assertThat(from("10.0.0.1").isOpen()).isTrue();
        assertThat(open(many)).as("used longest ago").containsExactly(true, true, false, false);
    }

    /** The one that was used longest ago. */
    @Test
    void theCallerWithTheMostGivesAPlaceToACallerWithFewer() {
        EmbeddedChannel first = from("10.0.0.1");
        EmbeddedChannel second = from("10.0.0.1");
        EmbeddedChannel third = from("10.0.0.2");
        List.of(first, second, third, first).forEach(each -> known(each, "one"));
        List<EmbeddedChannel> others = from("10.0.0.3", 2);
        others.forEach(each -> known(each, "two"));
        EmbeddedChannel newcomer = from("10.0.0.4");
        known(newcomer, "three");
        EmbeddedChannel stranger = from("10.0.0.5");
        assertThat(stranger.isOpen()).isTrue();
        assertThat(open(List.of(first, second, third))).containsExactly(true, false, true);
        assertThat(open(others)).containsOnly(true);
        assertThat(newcomer.isOpen()).isTrue();
        assertThat(from("10.0.0.6").isOpen())
                .as("the only stranger is of a source with one connection, and has sent no token")
                .isFalse();
        known(stranger, "one"); // which has lost a place, but gets none back
        assertThat(from("10.0.0.6").isOpen()).isTrue();
        assertThat(stranger.isOpen()).isFalse();
    }

    /** As many sources as places, with one connection each: no source has more than a health check's would have. */
    @Test
    void aCallerWithManyAddressesLeavesPlacesToHealthChecks() {
        List<EmbeddedChannel> many = new ArrayList<>();
        for (int i = 1; i <= 6; i++) {
            many.add(from("10.0.0." + i));
        }
        many.forEach(each -> known(each, "one"));
        known(many.get(3), "one");
        EmbeddedChannel health = from("10.0.1.1");
        assertThat(health.isOpen()).isTrue();
        assertThat(open(many)).containsExactly(true, true, true, true, false, true);
        assertThat(from("10.0.1.1").isOpen()).as("its address has a connection").isFalse();
        assertThat(from("10.0.1.2").isOpen()).isTrue();
        assertThat(open(many)).containsExactly(true, true, true, true, false, false);
        assertThat(from("10.0.1.3").isOpen()).isTrue();
        assertThat(open(many)).containsExactly(true, true, true, false, false, false);
        assertThat(from("10.0.1.4").isOpen())
                .as("the caller owns the others of its connections")
                .isFalse();
        assertThat(health.isOpen()).isTrue();
        assertThat(gate.open()).isEqualTo(6);
        assertThat(counts.all()).containsOnly(Map.entry("refused ALL", 2), Map.entry("closed REPLACED", 3));
    }

    /** A new connection of a known address replaces any stranger, but last those that were used last. */
    @Test
    void aConnectionInUseIsReplacedAfterThoseOfOtherAddresses() {
        List<EmbeddedChannel> many = new ArrayList<>();
        for (int i = 1; i <= 6; i++) {
            many.add(from("10.0.0." + i));
        }
        many.subList(0, 4).forEach(each -> known(each, "one"));
        assertThat(from("10.0.0.1").isOpen()).isTrue();
        assertThat(open(many)).containsExactly(true, true, true, true, false, true);
    }

    /** As many sources as there are places, in the 56 bits of one household. */
    @Test
    void aHouseholdWithManyPrefixesMakesRoomForOthers() {
        List<EmbeddedChannel> household = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            household.add(from("2001:db8:0:ab0" + i + "::1"));
        }
        EmbeddedChannel another = from("2001:db8:0:bb01::1"); // of the same site
        assertThat(another.isOpen()).isTrue();
        assertThat(from("10.0.0.1").isOpen()).isTrue();
        assertThat(open(household).stream().filter(each -> each).count()).isEqualTo(4);
        assertThat(from("2001:db8:0:ab09::1").isOpen())
                .as("the full household gets no further connection")
                .isFalse();
        household.forEach(EmbeddedChannel::close);
        another.close();
        assertThat(gate.open()).isEqualTo(1);
    }

    @Test
    void aSiteWithManyHouseholdsMakesRoomForOthers() {
        List<EmbeddedChannel> site = new ArrayList<>();
        for (int i = 1; i <= 6; i++) {
            site.add(from("2001:db8:0:" + i + "00::1"));
        }
        assertThat(from("2001:db8:1:100::1").isOpen()).isTrue();
        assertThat(open(site).stream().filter(each -> each).count()).isEqualTo(5);
        assertThat(gate.open()).isEqualTo(6);
    }

    @Test
    void whoWasKnownLatelyGetsAPlaceWhenStrangersHaveAll() {
        EmbeddedChannel before = from("10.0.0.9");
        known(before);
        before.close();
        List<EmbeddedChannel> strangers = new ArrayList<>();
        for (int i = 1; i <= 6; i++) {
            strangers.add(from("10.0.0." + i));
        }
        assertThat(from("10.0.0.8").isOpen()).isFalse();
        EmbeddedChannel again = from("10.0.0.9");
        assertThat(again.isOpen()).isTrue();
        assertThat(open(strangers)).containsExactly(false, true, true, true, true, true);
        again.close();
        assertThat(from("10.0.0.1").isOpen()).isTrue();
        nanos += AcceptGate.LATELY.toNanos();
        assertThat(from("10.0.0.9").isOpen()).isFalse();
    }
}
