package io.godwit.mqtt.transport.limit;

import io.godwit.mqtt.transport.config.ListenerLimits;
import io.godwit.plugin.event.ConnectionLimit;
import java.net.InetAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Counts the connections of one listener and decides which of them a limit forbids. Rates are counted by seconds of the
 * clock; refused connections do not count, so a source that keeps trying still gets its share.
 *
 * <p>A refused client may get the reason in a CONNACK, but only {@link #MAX_REFUSALS} at a time: waiting for its
 * CONNECT takes a socket, which the limits are there to save. Over TLS only {@link #MAX_TLS_REFUSALS} in a second: the
 * handshake is the most costly part of a connection.
 *
 * <p>Thread-safe by a lock: every event loop opens and closes connections, the total and the counts of sources must
 * agree, and the lock is held only for a lookup in a map, twice in a connection's life. Limits may change while
 * connections are open. All connections count; for their source only those that arrived while sources had a limit.
 */
public final class ConnectionGate {
    static final int MAX_REFUSALS = 64;
    static final int MAX_TLS_REFUSALS = 20;

    private final LongSupplier nanoTime;
    private ListenerLimits limits;
    private final Map<Long, Integer> openBySource = new HashMap<>();
    private int open;
    private int refusals;
    private long refusalSecond;
    private int tlsRefusals;
    private long second;
    private int begun;
    private Map<Long, Integer> begunBySource = new HashMap<>();

    /** @param nanoTime a clock like {@link System#nanoTime} */
    public ConnectionGate(ListenerLimits limits, LongSupplier nanoTime) {
        this.limits = limits;
        this.nanoTime = nanoTime;
    }

    /** For new connections; open ones stay. */
    public synchronized void reconfigure(ListenerLimits next) {
        limits = next;
    }

    /** Whether connections now count for their source. */
    public synchronized boolean countsSources() {
        return limits.maxConnectionsPerSource() > 0;
    }

    /**
     * Admits a connection and returns null, and then {@link #leave} must follow; or returns the limit that forbids it.
     *
     * @param isOfSource whether it counts for its source; {@link #leave} needs the same value
     */
    public @Nullable ConnectionLimit enter(InetAddress address, boolean isOfSource) {
        return admit(sourceOf(address), isOfSource, TimeUnit.NANOSECONDS.toSeconds(nanoTime.getAsLong()));
    }

    private synchronized @Nullable ConnectionLimit admit(Long source, boolean isOfSource, long now) {
        if (now != second) {
            second = now;
            begun = 0;
            begunBySource = new HashMap<>();
        }
        int openFromSource = openBySource.getOrDefault(source, 0);
        int begunFromSource = begunBySource.getOrDefault(source, 0);
        if (reached(limits.maxConnections(), open)) {
            return ConnectionLimit.TOTAL;
        } else if (reached(limits.maxConnectionsPerSource(), openFromSource)) {
            return ConnectionLimit.SOURCE_TOTAL;
        } else if (reached(limits.connectRate(), begun)) {
            return ConnectionLimit.RATE;
        } else if (reached(limits.connectRatePerSource(), begunFromSource)) {
            return ConnectionLimit.SOURCE_RATE;
        }
        open++;
        begun++;
        if (isOfSource) {
            openBySource.put(source, openFromSource + 1);
        }
        if (limits.connectRatePerSource() > 0) {
            begunBySource.put(source, begunFromSource + 1);
        }
        return null;
    }

    private static boolean reached(int limit, int count) {
        return limit > 0 && count >= limit;
    }

    /** An admitted connection from {@code address} has ended. */
    public void leave(InetAddress address, boolean isOfSource) {
        depart(sourceOf(address), isOfSource);
    }

    private synchronized void depart(Long source, boolean isOfSource) {
        open--;
        if (isOfSource) {
            openBySource.computeIfPresent(source, (key, count) -> count > 1 ? count - 1 : null);
        }
    }

    /** Whether one more refusal may be answered; if so, {@link #endRefusal} must follow. */
    public boolean beginRefusal(boolean isTls) {
        return tell(isTls, TimeUnit.NANOSECONDS.toSeconds(nanoTime.getAsLong()));
    }

    private synchronized boolean tell(boolean isTls, long now) {
        if (now != refusalSecond) {
            refusalSecond = now;
            tlsRefusals = 0;
        }
        if (refusals >= MAX_REFUSALS || isTls && tlsRefusals >= MAX_TLS_REFUSALS) {
            return false;
        }
        refusals++;
        tlsRefusals += isTls ? 1 : 0;
        return true;
    }

    public synchronized void endRefusal() {
        refusals--;
    }

    /** An IPv4 address, or the first 64 bits of an IPv6 address, all of which one site has. */
    static Long sourceOf(InetAddress address) {
        byte[] bytes = address.getAddress();
        long source = 0;
        for (int i = 0; i < Math.min(8, bytes.length); i++) {
            source = source << 8 | bytes[i] & 0xFF;
        }
        return source;
    }
}
