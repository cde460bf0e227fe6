package io.godwit.mqtt.transport.limit;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.godwit.mqtt.transport.report.MqttMetrics;
import io.godwit.mqtt.transport.report.MqttReports;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.ConnectionLimit;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class AcceptGuardTest {
    private final List<BrokerEvent> events = new ArrayList<>();
    private final MqttReports reports = new MqttReports(new MqttMetrics(new SimpleMeterRegistry()), events::add);
    private final List<Throwable> passedOn = new ArrayList<>();

    private EmbeddedChannel listening(DescriptorBudget budget) {
        return listening(budget, System::nanoTime);
    }

    private EmbeddedChannel listening(DescriptorBudget budget, LongSupplier nanoTime) {
        EmbeddedChannel channel = new EmbeddedChannel(
                new AcceptGuard("tcp", budget, reports, nanoTime), new ChannelInboundHandlerAdapter() {
                    @Override
                    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
                        passedOn.add(cause);
                    }
                });
        channel.freezeTime();
        return channel;
    }

    private static EmbeddedChannel accepted(EmbeddedChannel listening) {
        EmbeddedChannel child = new EmbeddedChannel();
        listening.writeInbound(child);
        return child;
    }

    private static EmbeddedChannel loggedIn(EmbeddedChannel listening) {
        EmbeddedChannel child = accepted(listening);
        DescriptorBudget.loggedIn(child);
        return child;
    }

    private void assertRefused(int count) {
        assertThat(events)
                .hasSize(count)
                .allSatisfy(event -> assertThat(event)
                        .isInstanceOfSatisfying(
                                BrokerEvent.ConnectionRefused.class,
                                refused -> assertThat(refused.limit()).isEqualTo(ConnectionLimit.DESCRIPTORS)));
    }

    @Test
    void connectionsBeyondTheBudgetOfAllListenersAreClosedAndReported() {
        DescriptorBudget budget = new DescriptorBudget(2);
        EmbeddedChannel one = listening(budget);
        EmbeddedChannel other = listening(budget);
        EmbeddedChannel first = loggedIn(one);
        loggedIn(other);

        EmbeddedChannel beyond = accepted(one);

        assertThat(one.inboundMessages()).containsExactly(first);
        assertThat(beyond.isOpen()).isFalse();
        assertRefused(1);
    }

    /** Else clients that open sockets and stay silent keep all others out. */
    @Test
    void theOldestThatHasNotLoggedInGivesItsPlaceToOneThatComes() {
        DescriptorBudget budget = new DescriptorBudget(3);
        EmbeddedChannel listening = listening(budget);
        EmbeddedChannel client = loggedIn(listening);
        EmbeddedChannel oldest = accepted(listening);
        EmbeddedChannel newer = accepted(listening);

        EmbeddedChannel honest = loggedIn(listening);

        assertThat(oldest.isOpen()).isFalse();
        assertThat(List.of(client, newer, honest)).allMatch(EmbeddedChannel::isOpen);
        assertRefused(1);
        for (int i = 0; i < 10; i++) {
            accepted(listening);
        }
        assertThat(newer.isOpen()).isFalse();
        assertThat(List.of(client, honest)).allMatch(EmbeddedChannel::isOpen);
        assertRefused(11);
    }

    @Test
    void placesAreNotGivenTwiceWhileThoseThatLostThemAreOpen() {
        EmbeddedChannel listening = listening(new DescriptorBudget(DescriptorBudget.MAX_CLOSING + 10));
        for (int i = 0; i < DescriptorBudget.MAX_CLOSING + 10; i++) {
            listening.writeInbound(new EmbeddedChannel(new ChannelOutboundHandlerAdapter() {
                @Override
                public void close(ChannelHandlerContext ctx, ChannelPromise promise) {
                    // its loop does not come round to it
                }
            }));
        }
        for (int i = 0; i < DescriptorBudget.MAX_CLOSING; i++) {
            assertThat(accepted(listening).isOpen()).isTrue();
        }
        assertThat(accepted(listening).isOpen()).isFalse();
    }

    @Test
    void aClosedConnectionMakesRoom() {
        EmbeddedChannel listening = listening(new DescriptorBudget(1));
        EmbeddedChannel first = new EmbeddedChannel();
        listening.writeInbound(first);
        first.close();

        EmbeddedChannel next = new EmbeddedChannel();
        listening.writeInbound(next);

        assertThat(next.isOpen()).isTrue();
        assertThat(events).isEmpty();
    }

    @Test
    void afterAFailedAcceptTheListenerPausesLongerEachTime() {
        EmbeddedChannel listening = listening(new DescriptorBudget(10));
        long pause = AcceptGuard.MIN_PAUSE_MILLIS;
        for (int failure = 0; failure < 10; failure++) {
            fail(listening);
            assertPausedFor(listening, pause);
            pause = Math.min(2 * pause, AcceptGuard.MAX_PAUSE_MILLIS);
        }
        assertThat(pause).isEqualTo(AcceptGuard.MAX_PAUSE_MILLIS);
        listening.writeInbound(new EmbeddedChannel());

        fail(listening);
        assertPausedFor(listening, AcceptGuard.MIN_PAUSE_MILLIS);
        assertThat(passedOn).isEmpty();
    }

    private static void fail(EmbeddedChannel listening) {
        listening.pipeline().fireExceptionCaught(new IOException("accept(..) failed: Too many open files"));
    }

    private static void assertPausedFor(EmbeddedChannel listening, long millis) {
        assertThat(listening.config().isAutoRead()).isFalse();
        listening.advanceTimeBy(millis - 1, TimeUnit.MILLISECONDS);
        listening.runScheduledPendingTasks();
        assertThat(listening.config().isAutoRead()).isFalse();
        listening.advanceTimeBy(1, TimeUnit.MILLISECONDS);
        listening.runScheduledPendingTasks();
        assertThat(listening.config().isAutoRead()).isTrue();
    }

    /** Clients can cause them at will: a line for each would fill the disk. */
    @Test
    void refusalsAndFailuresAreLoggedOnceAMinuteWithTheirCount() {
        Logger logger = (Logger) LoggerFactory.getLogger(AcceptGuard.class);
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        logger.addAppender(lines);
        AtomicLong nanos = new AtomicLong();
        try {
            EmbeddedChannel listening = listening(new DescriptorBudget(1), nanos::get);
            loggedIn(listening);
            refuseAndFail(listening, 5);
            nanos.set(TimeUnit.MINUTES.toNanos(1) - 1);
            refuseAndFail(listening, 2);
            assertThat(lines.list).hasSize(2);
            nanos.incrementAndGet();
            refuseAndFail(listening, 3);
        } finally {
            logger.detachAppender(lines);
        }
        assertThat(lines.list)
                .allSatisfy(line -> assertThat(line.getLevel()).isEqualTo(Level.WARN))
                .extracting(line -> line.getFormattedMessage().replaceAll(",.*(count=\\d+).*", " $1"))
                .containsExactly(
                        "connections closed count=1",
                        "accept failed count=1",
                        "connections closed count=7",
                        "accept failed count=7");
        assertRefused(10);
    }

    private static void refuseAndFail(EmbeddedChannel listening, int times) {
        for (int i = 0; i < times; i++) {
            accepted(listening);
            fail(listening);
        }
    }

    @Test
    void otherFailuresArePassedOn() {
        EmbeddedChannel listening = listening(new DescriptorBudget(10));
        IllegalStateException fault = new IllegalStateException("no loop");

        listening.pipeline().fireExceptionCaught(fault);

        assertThat(passedOn).containsExactly(fault);
        assertThat(listening.config().isAutoRead()).isTrue();
    }

    @Test
    void theStoresKeepTheirShareOfTheDescriptors() {
        assertThat(DescriptorBudget.maxConnections(1024, 300)).isEqualTo(362);
        assertThat(DescriptorBudget.maxConnections(20_000, 300)).isEqualTo(15_604);
        assertThat(DescriptorBudget.maxConnections(1_048_576, 576)).isEqualTo(1_043_904);
        assertThat(DescriptorBudget.maxConnections(300, 300)).isEqualTo(1);
        assertThat(DescriptorBudget.maxConnections(Long.MAX_VALUE, 300)).isEqualTo(Integer.MAX_VALUE);
        assertThat(DescriptorBudget.maxConnections(-1, 300)).isEqualTo(Integer.MAX_VALUE);
    }
}
