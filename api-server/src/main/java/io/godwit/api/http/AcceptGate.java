package io.godwit.api.http;

import io.godwit.api.port.ApiCounts;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.net.SocketAddress;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Closes connections beyond the limits as soon as they are accepted, before they cost a TLS engine or a parser. Stands
 * in the pipeline of the server channel, in front of what hands connections on.
 *
 * <p>When all places are taken, a source that has fewer connections than another gets the place of that one's oldest
 * connection on which nobody has said who they are: a few addresses must not keep all others out. Whoever has sent a
 * valid token keeps the connection.
 *
 * <p>The thread that accepts and the event loop, where connections end, contend for the counts; both hold the lock for
 * a look into a map, and for one at all sources when all places are taken.
 */
@Sharable
public final class AcceptGate extends ChannelInboundHandlerAdapter {
    private static final Logger LOG = LoggerFactory.getLogger(AcceptGate.class);

    private final int most;
    private final int mostPerSource;
    private final ApiCounts counts;
    private final Map<String, Source> bySource = new HashMap<>();
    private final Map<SocketAddress, Place> byPeer = new HashMap<>();
    private int open;

    private static final class Source {
        private final String name;
        private int open;
        /** Those on which nobody is known, the oldest first, by their other ends. */
        private final LinkedHashMap<SocketAddress, Place> strangers = new LinkedHashMap<>();

        Source(String name) {
            this.name = name;
        }
    }

    /** What a connection has while it is open, and nobody else was given it. */
    private static final class Place {
        private final Source source;
        private final Channel connection;
        private final SocketAddress peer;
        private boolean isLeft;

        Place(Source source, Channel connection) {
            this.source = source;
            this.connection = connection;
            this.peer = connection.remoteAddress();
        }
    }

    /**
     * @param place null when the connection is refused
     * @param bound why it is refused then
     */
    private record Entry(@Nullable Place place, @Nullable Place ousted, ApiCounts.@Nullable Bound bound) {
        static Entry refused(ApiCounts.Bound bound) {
            return new Entry(null, null, bound);
        }
    }

    public AcceptGate(Limits limits, ApiCounts counts) {
        this.counts = counts;
        most = limits.maxConnections();
        mostPerSource = limits.maxConnectionsPerAddress();
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object accepted) {
        Channel connection = (Channel) accepted;
        Entry entry = enter(connection);
        Place place = entry.place;
        if (place == null) {
            connection.unsafe().closeForcibly(); // it has no event loop yet
            counts.connectionRefused(Objects.requireNonNull(entry.bound));
            return;
        }
        Place ousted = entry.ousted;
        counts.connectionOpened();
        if (ousted != null) {
            counts.connectionClosed(ApiCounts.Cause.REPLACED);
            close(ousted.connection);
        }
        connection.closeFuture().addListener(closed -> {
            leave(place);
            counts.connectionEnded();
        });
        ctx.fireChannelRead(accepted);
    }

    /**
     * Ends a connection with what is not written: a close by its pipeline waits until the other end has read what comes
     * before, which may be never.
     */
    private static void close(Channel connection) {
        if (!connection.isRegistered()) {
            connection.unsafe().closeForcibly();
        } else if (connection.eventLoop().inEventLoop()) {
            connection.unsafe().close(connection.unsafe().voidPromise());
        } else {
            connection.eventLoop().execute(() -> close(connection));
        }
    }

    /** Ends the open connection with this other end at once, if there is one. */
    void end(SocketAddress peer) {
        Place place;
        synchronized (this) {
            place = byPeer.get(peer);
        }
        if (place != null) {
            close(place.connection);
        }
    }

    private synchronized Entry enter(Channel connection) {
        String name = Sources.of(connection.remoteAddress());
        Source known = bySource.get(name);
        Source source = known == null ? new Source(name) : known;
        Place ousted = open < most ? null : replaceable(source.open);
        boolean isSourceFull = source.open >= mostPerSource;
        if (isSourceFull || open >= most && ousted == null) {
            LOG.debug("connection refused, too many source={} open={} ofSource={}", name, open, source.open);
            return Entry.refused(isSourceFull ? ApiCounts.Bound.ADDRESS : ApiCounts.Bound.ALL);
        }
        if (ousted != null) {
            LOG.debug("connection closed, its place is another's source={} other={}", ousted.source.name, name);
            leave(ousted);
        }
        Place place = new Place(source, connection);
        open++;
        source.open++;
        source.strangers.put(place.peer, place);
        byPeer.put(place.peer, place);
        bySource.put(name, source);
        return new Entry(place, ousted, null);
    }

    /** Whose place a source gets that has so many; null when no other source has more, or only known callers. */
    private @Nullable Place replaceable(int ofSource) {
        Source greatest = null;
        for (Source each : bySource.values()) {
            if (!each.strangers.isEmpty() && (greatest == null || each.open > greatest.open)) {
                greatest = each;
            }
        }
        return greatest == null || greatest.open <= ofSource + 1
                ? null
                : greatest.strangers.values().iterator().next();
    }

    private synchronized void leave(Place place) {
        if (place.isLeft) {
            return;
        }
        place.isLeft = true;
        open--;
        Source source = place.source;
        source.strangers.remove(place.peer, place);
        byPeer.remove(place.peer, place);
        if (--source.open == 0) {
            bySource.remove(source.name);
        }
    }

    /** Who is at the other end of an open connection is known from now on. */
    public synchronized void known(SocketAddress peer) {
        Source source = bySource.get(Sources.of(peer));
        if (source != null) {
            source.strangers.remove(peer);
        }
    }

    synchronized int open() {
        return open;
    }
}
