package io.godwit.api.http.gate;

import io.godwit.api.port.ApiCounts;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Closes connections beyond the limits as soon as they are accepted, before they cost a TLS engine or a parser. Stands
 * in the pipeline of the server channel, before the handler that registers connections.
 *
 * <p>Strangers must not keep others out. A stranger is a connection that no known caller owns; {@link OwnedPlaces} says
 * how many a caller may own, and that some places always belong to strangers. At a limit, a new connection replaces the
 * oldest stranger
 *
 * <ul>
 *   <li>of its own source, when that source is at its limit: strangers may share the address of a caller with a token;
 *   <li>of the source with the most connections, when the total is at its limit and that source has more than the new
 *       one's; if it has not, the same by wider prefixes of IPv6, since one household has 256 sources or more;
 *   <li>of all, when the total is at its limit and the new one's source has sent a valid token recently;
 *   <li>of those that a known caller has used, when the total is at its limit and the new one's source has no
 *       connection: a caller may have one connection from each of many sources.
 * </ul>
 *
 * <p>The oldest is the one that was opened, or last used by a known caller, before all others. The gate does not know
 * which connections have a request under way.
 *
 * <p>Without such a stranger the new connection is refused. A connection that a caller owns is never replaced.
 *
 * <p>The lock guards the counts: the accepting thread and the event loop, where connections end, contend for it. Both
 * hold it for a lookup in a map, or, when the total is at its limit, for a scan of all sources.
 */
@Sharable
public final class AcceptGate extends ChannelInboundHandlerAdapter {
    private static final Logger LOG = LoggerFactory.getLogger(AcceptGate.class);
    /** How long a source is preferred after it has sent a valid token. */
    static final Duration LATELY = Duration.ofMinutes(10);

    private static final int MAX_LATELY = 1_000;
    /** Levels of prefixes in {@link Sources#names}: address or 64 bits, 56 bits and 48 bits. */
    private static final int LEVELS = 3;

    private final int most;
    private final int mostPerSource;
    private final ApiCounts counts;
    private final LongSupplier nanoClock;
    private final Map<String, Source> bySource = new HashMap<>();
    /** Counts by wider prefixes of IPv6. */
    private final Map<String, Count> byPrefix = new HashMap<>();

    private final Map<Ends, Place> byEnds = new HashMap<>();
    /** Connections that no known caller owns, by when they were opened or last used by a known caller. */
    private final Set<Place> strangers = new LinkedHashSet<>();
    /** Those of {@link #strangers} that a known caller has used, in the same order. */
    private final Set<Place> usedStrangers = new LinkedHashSet<>();
    /** All other connections. */
    private final OwnedPlaces<Place> owned;
    /** When each source last sent a valid token. */
    private final Map<String, Long> lately = new LinkedHashMap<>(64, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
            return size() > MAX_LATELY;
        }
    };

    private int open;

    /** Both ends identify a connection: one source port may have connections to several addresses of this machine. */
    private record Ends(
            @Nullable SocketAddress remote, @Nullable SocketAddress local) {}

    /** Number of open connections of all sources that share this prefix. */
    private static final class Count {
        private final String name;
        private int open;

        Count(String name) {
            this.name = name;
        }
    }

    private static final class Source {
        /** The count of the source itself, then those of wider prefixes. */
        private final List<Count> counts;
        /** Connections of this source that no known caller owns, in the order of {@link AcceptGate#strangers}. */
        private final Set<Place> strangers = new LinkedHashSet<>();

        Source(List<Count> counts) {
            this.counts = counts;
        }

        String name() {
            return counts.get(0).name;
        }

        int open(int level) {
            return counts.get(Math.min(level, counts.size() - 1)).open;
        }
    }

    /** An open connection's place under the limits, until it closes or another connection takes the place. */
    private static final class Place {
        private final Source source;
        private final Channel connection;
        private final Ends ends;
        private boolean isLeft;
        private boolean isEnded;

        Place(Source source, Channel connection) {
            this.source = source;
            this.connection = connection;
            this.ends = new Ends(connection.remoteAddress(), connection.localAddress());
        }
    }

    /**
     * @param place null when the connection is refused
     * @param ousted the connection that loses its place; null for none
     * @param bound the limit that refused it; null when it was accepted
     */
    private record Entry(@Nullable Place place, @Nullable Place ousted, ApiCounts.@Nullable Bound bound) {
        static Entry refused(ApiCounts.Bound bound) {
            return new Entry(null, null, bound);
        }
    }

    public AcceptGate(HttpLimits limits, ApiCounts counts) {
        this(limits, counts, System::nanoTime);
    }

    /** @param nanoClock the monotonic clock */
    AcceptGate(HttpLimits limits, ApiCounts counts, LongSupplier nanoClock) {
        this.counts = counts;
        this.nanoClock = nanoClock;
        most = limits.maxConnections();
        mostPerSource = limits.maxConnectionsPerAddress();
        owned = new OwnedPlaces<>(most, mostPerSource);
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object accepted) {
        Channel connection = (Channel) accepted;
        Entry entry = enter(connection);
        Place place = entry.place;
        if (place == null) {
            connection.unsafe().closeForcibly(); // not yet registered with an event loop
            counts.connectionRefused(Objects.requireNonNull(entry.bound));
            return;
        }
        Place ousted = entry.ousted;
        counts.connectionOpened();
        if (ousted != null) {
            counts.connectionClosed(ApiCounts.Cause.REPLACED);
            close(ousted);
        }
        connection.closeFuture().addListener(closed -> ended(place));
        ctx.fireChannelRead(accepted);
    }

    /**
     * Closes a connection without flushing: a close through the pipeline waits until the peer has read everything
     * before it, which may never happen.
     */
    private void close(Place place) {
        Channel connection = place.connection;
        if (!connection.isRegistered()) {
            connection.unsafe().closeForcibly();
            ended(place); // its close future does not complete
        } else if (connection.eventLoop().inEventLoop()) {
            connection.unsafe().close(connection.unsafe().voidPromise());
        } else {
            connection.eventLoop().execute(() -> close(place));
        }
    }

    private void ended(Place place) {
        leave(place);
        synchronized (this) {
            if (place.isEnded) {
                return;
            }
            place.isEnded = true;
        }
        counts.connectionEnded();
    }

    /** Closes the open connection between these ends at once, if there is one. */
    void end(SocketAddress remote, SocketAddress local) {
        Place place;
        synchronized (this) {
            place = byEnds.get(new Ends(remote, local));
        }
        if (place != null) {
            close(place);
        }
    }

    private synchronized Entry enter(Channel connection) {
        List<String> names = Sources.names(connection.remoteAddress());
        Source source = bySource.get(names.get(0));
        if (source == null) {
            source = new Source(names.stream().map(this::count).toList());
        }
        boolean isSourceFull = source.open(0) >= mostPerSource;
        boolean isFull = isSourceFull || open >= most;
        Place ousted = isSourceFull ? oldest(source.strangers) : isFull ? replaceable(source) : null;
        if (isFull && ousted == null) {
            LOG.debug("connection refused, too many source={} open={} ofSource={}", names.get(0), open, source.open(0));
            return Entry.refused(isSourceFull ? ApiCounts.Bound.ADDRESS : ApiCounts.Bound.ALL);
        }
        if (ousted != null) {
            LOG.debug("connection closed to make room for another source={} other={}", ousted.source.name(), names);
            leave(ousted);
        }
        Place place = new Place(source, connection);
        open++;
        for (Count count : source.counts) {
            count.open++;
        }
        for (Count wider : source.counts.subList(1, source.counts.size())) {
            byPrefix.put(wider.name, wider);
        }
        source.strangers.add(place);
        strangers.add(place);
        byEnds.put(place.ends, place);
        bySource.put(source.name(), source);
        return new Entry(place, ousted, null);
    }

    private Count count(String name) {
        Count known = byPrefix.get(name); // names of sources and of wider prefixes never coincide
        return known == null ? new Count(name) : known;
    }

    private static @Nullable Place oldest(Set<Place> strangers) {
        return strangers.isEmpty() ? null : strangers.iterator().next();
    }

    /** The stranger that this source may replace when the total is at its limit; null for none. */
    private @Nullable Place replaceable(Source newcomer) {
        for (int level = 0; level < LEVELS; level++) {
            Source greatest = null;
            for (Source each : bySource.values()) {
                if (!each.strangers.isEmpty() && (greatest == null || each.open(level) > greatest.open(level))) {
                    greatest = each;
                }
            }
            if (greatest == null) {
                return null; // no strangers are left
            }
            if (greatest.open(level) > newcomer.open(level) + 1) {
                return oldest(greatest.strangers);
            }
        }
        if (wasKnownLately(newcomer)) {
            return oldest(strangers);
        }
        return newcomer.open(0) == 0 ? oldest(usedStrangers) : null;
    }

    private boolean wasKnownLately(Source source) {
        Long known = lately.get(source.name());
        return known != null && nanoClock.getAsLong() - known < LATELY.toNanos();
    }

    private synchronized void leave(Place place) {
        if (place.isLeft) {
            return;
        }
        place.isLeft = true;
        open--;
        Source source = place.source;
        leaveStrangers(place);
        owned.leave(place);
        byEnds.remove(place.ends, place);
        for (Count count : source.counts) {
            if (--count.open == 0) {
                byPrefix.remove(count.name);
            }
        }
        if (source.open(0) == 0) {
            bySource.remove(source.name());
        }
    }

    /**
     * A known caller uses this open connection. It owns the connection from now on, if it may own one more; otherwise
     * the connection is replaced after all other strangers.
     *
     * @param caller name of its token or certificate, or the one share of its tenant
     */
    public synchronized void known(SocketAddress remote, SocketAddress local, String caller) {
        Place place = byEnds.get(new Ends(remote, local));
        if (place == null) {
            return;
        }
        Source source = place.source;
        lately.put(source.name(), nanoClock.getAsLong());
        leaveStrangers(place);
        if (!owned.use(place, caller, source.name(), this::joinStrangers)) {
            joinStrangers(place);
        }
    }

    private void leaveStrangers(Place place) {
        place.source.strangers.remove(place);
        strangers.remove(place);
        usedStrangers.remove(place);
    }

    /** Nobody owns this open connection, which a known caller has used. It is replaced after all others from now on. */
    private void joinStrangers(Place place) {
        place.source.strangers.add(place);
        strangers.add(place);
        usedStrangers.add(place);
    }

    synchronized int open() {
        return open;
    }
}
