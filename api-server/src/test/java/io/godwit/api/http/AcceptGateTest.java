package io.godwit.api.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.api.FakeCounts;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
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
    private final AcceptGate gate =
            new AcceptGate(new Limits(6, 4, 1_024, 1_024, 1_024, LONG, LONG, LONG, 1_000, 1_000), counts);
    private final EmbeddedChannel server = new EmbeddedChannel(gate);
    private int port;

    private EmbeddedChannel from(String address) {
        InetSocketAddress peer = new InetSocketAddress(address, ++port);
        EmbeddedChannel connection = new EmbeddedChannel() {
            @Override
            protected SocketAddress remoteAddress0() {
                return peer;
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
    void nobodyGetsMoreThanOthersInThisWay() {
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
    void whatIsReplacedOrEndedClosesAlthoughItsPipelineWaits() {
        List<EmbeddedChannel> many = from("10.0.0.1", 4);
        for (EmbeddedChannel each : many) {
            each.pipeline().addFirst(new ChannelOutboundHandlerAdapter() {
                @Override
                public void close(ChannelHandlerContext ctx, ChannelPromise promise) {
                    // until what comes before has been read
                }
            });
        }
        from("10.0.0.2", 2);
        from("10.0.0.3");
        assertThat(open(many)).containsExactly(false, true, true, true);
        gate.end(many.get(2).remoteAddress());
        gate.end(many.get(2).remoteAddress()); // is none any more
        assertThat(open(many)).containsExactly(false, true, false, true);
        assertThat(gate.open()).isEqualTo(5);
        assertThat(counts.open()).isEqualTo(5);
    }

    @Test
    void whoIsKnownStays() {
        List<EmbeddedChannel> many = from("10.0.0.1", 4);
        gate.known(many.get(0).remoteAddress());
        List<EmbeddedChannel> few = from("10.0.0.2", 2);
        from("10.0.0.3");
        assertThat(open(many)).containsExactly(true, false, true, true);
        gate.known(many.get(2).remoteAddress());
        gate.known(many.get(3).remoteAddress());
        assertThat(from("10.0.0.4").isOpen()).isTrue();
        assertThat(open(many)).containsExactly(true, false, true, true);
        assertThat(open(few)).containsExactly(false, true);
        assertThat(from("10.0.0.5").isOpen()).isFalse(); // three others have one each
        many.get(0).close();
        assertThat(from("10.0.0.5").isOpen()).isTrue();
    }
}
