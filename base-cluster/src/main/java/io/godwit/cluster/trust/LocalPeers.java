package io.godwit.cluster.trust;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides who may talk to a node that uses unencrypted connections on the loopback address: processes of the node's own
 * user and of root. Every user of the machine can reach a loopback port, and without this check could act as a node or
 * an operator. The API uses it too.
 *
 * <p>The peer of a loopback connection is a socket of the same machine, and {@code /proc/net/tcp} lists the user of
 * each socket. A socket that its process has closed is listed with root as its user. So only established sockets that
 * have an owner count. The table is read twice, because the socket may be closed during one reading. If the user cannot
 * be found, the connection is refused.
 *
 * <p>Thread-safe. The number of checks per second is bounded, because each reads a table of all connections of the
 * machine. A stranger who keeps connecting delays new connections of nodes, which try again, but not existing ones. The
 * API checks all connections that wait with one look ({@link #owners}), so there a stranger delays nobody.
 */
public class LocalPeers {
    private static final Logger LOG = LoggerFactory.getLogger(LocalPeers.class);
    private static final String ESTABLISHED = "01";
    private static final String NO_OWNER = "0";
    private static final String ROOT = "0";
    private static final int LOCAL_ADDRESS = 1;
    private static final int REMOTE_ADDRESS = 2;
    private static final int STATE = 3;
    private static final int USER = 7;
    private static final int INODE = 9;
    private static final String MAPPED = "0000000000000000FFFF0000";

    private static final int LOOKS_PER_SECOND = 20;
    private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long TELL_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final Path proc;
    private final LongSupplier nanoClock;

    // guarded by this: event loops and the membership's accept thread contend for it, only at new connections
    private long secondBegan;
    private int looks;
    private long lastTold;
    private long refused;

    public LocalPeers() {
        this(Path.of("/proc"), System::nanoTime);
    }

    LocalPeers(Path proc, LongSupplier nanoClock) {
        this.proc = proc;
        this.nanoClock = nanoClock;
        this.secondBegan = nanoClock.getAsLong();
        this.lastTold = secondBegan - TELL_NANOS;
    }

    /**
     * The check for a node that listens at this address; null if TLS is used, or if the operator has opened the node to
     * other machines.
     */
    public static @Nullable LocalPeers of(InetAddress bindAddress, boolean hasTls) {
        return !hasTls && bindAddress.isLoopbackAddress() ? new LocalPeers() : null;
    }

    /**
     * Whether the peer of a connection may talk to this node. Blocks while it reads a table of connections.
     *
     * @param here the local end
     * @param there the remote end
     */
    public boolean isAdmitted(@Nullable SocketAddress here, @Nullable SocketAddress there) {
        if (here instanceof InetSocketAddress ours && there instanceof InetSocketAddress theirs) {
            return owners(List.of(new Ends(ours, theirs))).get(0) == Owner.ADMITTED;
        }
        tell(there);
        return false;
    }

    /** Whose process is at the other end of a connection. */
    public enum Owner {
        /** The node's own user, or root. */
        ADMITTED,
        /** Another user. */
        STRANGER,
        /** Nobody knows: the connection is closed, a table cannot be read, or there were too many checks. */
        UNKNOWN
    }

    /**
     * A connection.
     *
     * @param here the local end
     * @param there the remote end
     */
    public record Ends(InetSocketAddress here, InetSocketAddress there) {}

    /**
     * The owners of the remote ends, in the order of the connections. Blocks while it reads a table of connections; it
     * is one check, however many connections there are.
     */
    public List<Owner> owners(List<Ends> connections) {
        Map<Ends, Owner> owners = mayLook() ? look(connections) : Map.of();
        return connections.stream()
                .map(each -> {
                    Owner owner = owners.getOrDefault(each, Owner.UNKNOWN);
                    if (owner != Owner.ADMITTED) {
                        tell(each.there);
                    }
                    return owner;
                })
                .toList();
    }

    private Map<Ends, Owner> look(List<Ends> connections) {
        String own = ownUser();
        Map<Ends, Owner> owners = new HashMap<>();
        users(connections).forEach((ends, user) -> owners.put(ends, owner(user, own)));
        List<Ends> admitted = connections.stream()
                .filter(each -> owners.get(each) == Owner.ADMITTED)
                .toList();
        owners.keySet().removeAll(admitted);
        if (!admitted.isEmpty()) { // a socket that was closed during the first reading was listed as root's
            users(admitted).forEach((ends, user) -> owners.put(ends, owner(user, own)));
        }
        return owners;
    }

    private static Owner owner(String user, @Nullable String own) {
        return user.equals(ROOT) || user.equals(own) ? Owner.ADMITTED : own == null ? Owner.UNKNOWN : Owner.STRANGER;
    }

    private synchronized boolean mayLook() {
        long now = nanoClock.getAsLong();
        if (now - secondBegan >= SECOND_NANOS) {
            secondBegan = now;
            looks = 0;
        }
        looks++;
        return looks <= LOOKS_PER_SECOND;
    }

    private synchronized void tell(@Nullable SocketAddress there) {
        refused++;
        long now = nanoClock.getAsLong();
        if (now - lastTold >= TELL_NANOS) {
            lastTold = now;
            LOG.warn("connections refused, not of this node's user or closed already last={} total={}", there, refused);
        }
    }

    /** The user ids of the established sockets at the remote ends, without those that are not found. */
    private Map<Ends, String> users(List<Ends> connections) {
        Map<String, Ends> wanted = new HashMap<>();
        for (Ends each : connections) {
            for (String local : spellings(each.there)) {
                for (String remote : spellings(each.here)) {
                    wanted.put(local + " " + remote, each);
                }
            }
        }
        Map<Ends, String> users = new HashMap<>();
        for (String table : List.of("tcp", "tcp6")) {
            try {
                for (String line :
                        Files.readAllLines(proc.resolve("net").resolve(table), StandardCharsets.ISO_8859_1)) {
                    String[] words = line.strip().split("\\s+", -1);
                    if (words.length <= INODE || !words[STATE].equals(ESTABLISHED) || words[INODE].equals(NO_OWNER)) {
                        continue;
                    }
                    Ends ends = wanted.get(words[LOCAL_ADDRESS] + " " + words[REMOTE_ADDRESS]);
                    if (ends != null) {
                        users.putIfAbsent(ends, words[USER]);
                    }
                }
            } catch (IOException e) {
                LOG.debug("connections not listed table={}", table, e);
            }
        }
        return users;
    }

    /** The effective user id of this process, which owns the files and sockets that it makes. */
    private @Nullable String ownUser() {
        try {
            for (String line :
                    Files.readAllLines(proc.resolve("self").resolve("status"), StandardCharsets.ISO_8859_1)) {
                String[] words = line.split("\\s+", -1);
                if (words.length > 2 && words[0].equals("Uid:")) {
                    return words[2]; // the effective user id
                }
            }
        } catch (IOException e) {
            LOG.debug("user of this process not known", e);
        }
        return null;
    }

    /**
     * How the tables print an address: 32-bit words in the byte order of the machine. An IPv6 socket shows an IPv4
     * address as an IPv4-mapped one.
     */
    private static Set<String> spellings(InetSocketAddress address) {
        String port = String.format(Locale.ROOT, ":%04X", address.getPort());
        ByteBuffer bytes = ByteBuffer.wrap(address.getAddress().getAddress()).order(ByteOrder.nativeOrder());
        StringBuilder text = new StringBuilder();
        while (bytes.hasRemaining()) {
            text.append(String.format(Locale.ROOT, "%08X", bytes.getInt()));
        }
        return address.getAddress() instanceof Inet4Address
                ? Set.of(text + port, MAPPED + text + port)
                : Set.of(text + port);
    }
}
