package io.godwit.api.http;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Closes connections beyond the limits as soon as they are accepted, before they cost a TLS engine or a parser. Stands
 * in the pipeline of the server channel, in front of what hands connections on.
 *
 * <p>The thread that accepts and the event loop, where connections end, contend for the counts; both hold the lock for
 * a look into a map.
 */
@Sharable
final class AcceptGate extends ChannelInboundHandlerAdapter {
    private static final Logger LOG = LoggerFactory.getLogger(AcceptGate.class);

    private final int most;
    private final int mostPerSource;
    private final Map<String, Integer> bySource = new HashMap<>();
    private int open;
    private long refused;

    AcceptGate(Limits limits) {
        most = limits.maxConnections();
        mostPerSource = limits.maxConnectionsPerAddress();
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object accepted) {
        Channel connection = (Channel) accepted;
        String source = Sources.of(connection.remoteAddress());
        if (!tryEnter(source)) {
            connection.unsafe().closeForcibly(); // it has no event loop yet
            return;
        }
        connection.closeFuture().addListener(closed -> leave(source));
        ctx.fireChannelRead(accepted);
    }

    private synchronized boolean tryEnter(String source) {
        int ofSource = bySource.getOrDefault(source, 0);
        if (open >= most || ofSource >= mostPerSource) {
            refused++;
            LOG.debug("connection refused, too many source={} open={} ofSource={}", source, open, ofSource);
            return false;
        }
        open++;
        bySource.put(source, ofSource + 1);
        return true;
    }

    private synchronized void leave(String source) {
        open--;
        bySource.computeIfPresent(source, (key, count) -> count == 1 ? null : count - 1);
    }

    synchronized int open() {
        return open;
    }

    /** Since the start. */
    synchronized long refused() {
        return refused;
    }
}
