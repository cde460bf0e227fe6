package io.godwit.mqtt.transport.limit;

import io.godwit.dist.client.LogPace;
import io.godwit.mqtt.transport.report.MqttReports;
import io.godwit.plugin.event.ConnectionLimit;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stands before the acceptor in the pipeline of a listening socket. A connection beyond the {@link DescriptorBudget}
 * replaces one that has not logged in; else it is closed on the accepting thread, before it is handed to its event
 * loop: connections that wait for their loop would hold descriptors uncounted.
 *
 * <p>When accept itself fails, the listener pauses, longer each time until a connection is accepted again; clients wait
 * in the kernel's backlog. Both cases are logged at most once a {@link #LOG_INTERVAL}, since clients can cause them at
 * will. Confined to the listener's loop.
 */
public final class AcceptGuard extends ChannelInboundHandlerAdapter {
    static final long MIN_PAUSE_MILLIS = 100;
    static final long MAX_PAUSE_MILLIS = 5000;

    private static final Logger LOG = LoggerFactory.getLogger(AcceptGuard.class);
    private static final Duration LOG_INTERVAL = Duration.ofMinutes(1);

    private final String listener;
    private final DescriptorBudget budget;
    private final MqttReports reports;
    private final LogPace refusedPace;
    private final LogPace failedPace;
    private long pauseMillis = MIN_PAUSE_MILLIS;
    private boolean isPaused;

    /** @param nanoTime a clock like {@link System#nanoTime} */
    public AcceptGuard(String listener, DescriptorBudget budget, MqttReports reports, LongSupplier nanoTime) {
        this.listener = listener;
        this.budget = budget;
        this.reports = reports;
        this.refusedPace = new LogPace(nanoTime, LOG_INTERVAL);
        this.failedPace = new LogPace(nanoTime, LOG_INTERVAL);
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object msg) {
        Channel child = (Channel) msg;
        pauseMillis = MIN_PAUSE_MILLIS;
        DescriptorBudget.Entry entry = budget.enter(child, listener);
        DescriptorBudget.Displaced displaced = entry.displaced();
        if (displaced != null) {
            refused(displaced.listener(), displaced.channel());
            displaced.channel().close();
        }
        if (entry.isGranted()) {
            ctx.fireChannelRead(child);
            return;
        }
        refused(listener, child);
        child.unsafe().closeForcibly();
    }

    private void refused(String ofListener, Channel child) {
        reports.connectionRefused(ofListener, child.remoteAddress(), ConnectionLimit.DESCRIPTORS);
        if (refusedPace.count()) {
            LOG.warn(
                    "connections closed, first those that have not logged in: all file descriptors for connections"
                            + " are in use listener={} connections={} count={} (raise the limit of open files: "
                            + "ulimit -n)",
                    ofListener,
                    budget.max(),
                    refusedPace.take());
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (!(cause instanceof IOException)) {
            ctx.fireExceptionCaught(cause);
            return;
        }
        if (failedPace.count()) {
            LOG.warn(
                    "accept failed, the listener pauses listener={} pauseMillis={} count={} cause={}",
                    listener,
                    pauseMillis,
                    failedPace.take(),
                    cause.getMessage());
        }
        if (!isPaused) {
            isPaused = true;
            ctx.channel().config().setAutoRead(false);
            ctx.executor().schedule(() -> resume(ctx), pauseMillis, TimeUnit.MILLISECONDS);
            pauseMillis = Math.min(2 * pauseMillis, MAX_PAUSE_MILLIS);
        }
    }

    private void resume(ChannelHandlerContext ctx) {
        isPaused = false;
        if (ctx.channel().isActive()) {
            ctx.channel().config().setAutoRead(true);
        }
    }
}
