package io.godwit.mqtt.transport.limit;

import com.sun.management.UnixOperatingSystemMXBean;
import io.godwit.mqtt.transport.config.TransportConfig;
import io.netty.channel.Channel;
import io.netty.util.AttributeKey;
import java.lang.management.ManagementFactory;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Limits the connections of all listeners of a node together, so that the stores can always open files. The limit is
 * computed from RLIMIT_NOFILE and the files open when the listeners start, after the stores.
 *
 * <p>At the limit, a new connection replaces the oldest one whose client has not logged in. Else clients that open
 * sockets and stay silent would keep all others out. A client that logs in at once is safe: it becomes the oldest only
 * after as many others have come as there are places for clients not logged in.
 *
 * <p>Locked: the loops of several listeners take places, and every loop returns them. Each connection comes here when
 * it is opened, has logged in, and is closed.
 */
public final class DescriptorBudget {
    /**
     * Descriptors kept for the stores: sixty-four ranges with 64 files each. If fewer descriptors are left, connections
     * get half of them.
     */
    private static final long RESERVE = 4096;

    /** Most connections that have been replaced and not yet closed by their loops; they come on top of the limit. */
    static final int MAX_CLOSING = 256;

    private static final AttributeKey<DescriptorBudget> OF_CHANNEL = AttributeKey.valueOf(DescriptorBudget.class, "of");

    private final int max;
    private int open;
    /** Connections whose client has not logged in, with the name of their listener, oldest first. */
    private final Map<Channel, String> silent = new LinkedHashMap<>();

    private final Set<Channel> closing = new HashSet<>();

    DescriptorBudget(int max) {
        this.max = max;
    }

    /**
     * For the present state of this process. Unlimited if the platform does not report a limit, or connections take no
     * descriptors.
     */
    public static DescriptorBudget ofProcess(TransportConfig.Io io) {
        return io != TransportConfig.Io.IN_MEMORY
                        && ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system
                ? new DescriptorBudget(
                        maxConnections(system.getMaxFileDescriptorCount(), system.getOpenFileDescriptorCount()))
                : new DescriptorBudget(Integer.MAX_VALUE);
    }

    /**
     * The number of descriptors for connections.
     *
     * @param limit of the process; not positive when it is unknown
     * @param inUse number of open descriptors
     */
    static int maxConnections(long limit, long inUse) {
        if (limit <= 0) {
            return Integer.MAX_VALUE;
        }
        long left = Math.max(0, limit - inUse);
        return (int) Math.max(1, Math.min(Integer.MAX_VALUE, left - Math.min(left / 2, RESERVE)));
    }

    /** {@link Integer#MAX_VALUE} for no limit. */
    int max() {
        return max;
    }

    @Override
    public String toString() {
        return max == Integer.MAX_VALUE ? "unlimited" : Integer.toString(max);
    }

    /** A connection that was replaced. */
    record Displaced(Channel channel, String listener) {}

    /** The result of taking a place. */
    record Entry(boolean isGranted, @Nullable Displaced displaced) {
        static final Entry REFUSED = new Entry(false, null);
        static final Entry FREE = new Entry(true, null);
    }

    /** Takes a place for {@code child} until it is closed. The caller closes a displaced connection. */
    Entry enter(Channel child, String listener) {
        Entry entry = place(child, listener);
        if (entry.isGranted()) {
            child.attr(OF_CHANNEL).set(this);
            child.closeFuture().addListener(closed -> leave(child));
        }
        return entry;
    }

    private synchronized Entry place(Channel child, String listener) {
        Entry entry = Entry.FREE;
        if (open >= max) {
            Map.Entry<Channel, String> oldest =
                    silent.isEmpty() ? null : silent.entrySet().iterator().next();
            if (oldest == null
                    || closing.size() >= MAX_CLOSING
                    || !oldest.getKey().isRegistered()) {
                return Entry.REFUSED;
            }
            Displaced displaced = new Displaced(oldest.getKey(), oldest.getValue());
            silent.remove(displaced.channel());
            closing.add(displaced.channel());
            entry = new Entry(true, displaced);
        }
        open++;
        silent.put(child, listener);
        return entry;
    }

    /** The client of {@code child} has logged in: it can no longer be replaced. */
    public static void loggedIn(Channel child) {
        DescriptorBudget budget = child.attr(OF_CHANNEL).getAndSet(null);
        if (budget != null) {
            budget.keep(child);
        }
    }

    private synchronized void keep(Channel child) {
        silent.remove(child);
    }

    private synchronized void leave(Channel child) {
        open--;
        silent.remove(child);
        closing.remove(child);
    }
}
