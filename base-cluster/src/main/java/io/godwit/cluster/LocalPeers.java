package io.godwit.cluster;

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
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who may talk to a node that speaks in the clear over the loopback address: processes of its own user, and root. There
 * a port is open to every user of the machine, and whoever reaches it would be a node, or an operator. The API asks it
 * too.
 *
 * <p>The kernel tells the user of a loopback connection: the other end is a socket of this machine too, and {@code
 * /proc/net/tcp} names the user of
 * each. A socket that its process has closed counts as root's there, so only one that is established and still has an
 * owner counts, seen
 * twice: it may be closed while the table is read. When nothing can be found out, nobody is let in.
 *
 * <p>Thread-safe. The number of looks is bounded, since each reads a table as long as the machine has connections: a
 * stranger who connects again and again delays new connections of nodes, which try again, but not what is connected.
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

    // guarded by this: event loops and the thread that accepts for the membership contend for it, at new connections
    // only
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
     * The check for a node at this address; null where certificates are the check, or others than this machine were let
     * in by name.
     */
    static @Nullable LocalPeers of(InetAddress bindAddress, boolean hasTls) {
        return !hasTls && bindAddress.isLoopbackAddress() ? new LocalPeers() : null;
    }

    /**
     * Whether the other end of a connection may talk to this node. Blocks for as long as it takes to read a table of
     * connections.
     *
     * @param here this end
     * @param there the other end
     */
    public boolean isAdmitted(@Nullable SocketAddress here, @Nullable SocketAddress there) {
        boolean admitted = here instanceof InetSocketAddress ours
                && there instanceof InetSocketAddress theirs
                && mayLook()
                && isOurs(ours, theirs)
                && isOurs(ours, theirs);
        if (!admitted) {
            tell(there);
        }
        return admitted;
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
            LOG.warn("connections refused, closed already or not of this node's user last={} total={}", there, refused);
        }
    }

    private boolean isOurs(InetSocketAddress ours, InetSocketAddress theirs) {
        String user = userOf(theirs, ours);
        return user != null && (user.equals(ROOT) || user.equals(ownUser()));
    }

    /**
     * The id of the user of the established socket at {@code local} that is connected to {@code remote}; null when
     * there is none.
     */
    private @Nullable String userOf(InetSocketAddress local, InetSocketAddress remote) {
        Set<String> locals = spellings(local);
        Set<String> remotes = spellings(remote);
        for (String table : List.of("tcp", "tcp6")) {
            try {
                for (String line :
                        Files.readAllLines(proc.resolve("net").resolve(table), StandardCharsets.ISO_8859_1)) {
                    String[] words = line.strip().split("\\s+", -1);
                    if (words.length > INODE
                            && locals.contains(words[LOCAL_ADDRESS])
                            && remotes.contains(words[REMOTE_ADDRESS])
                            && words[STATE].equals(ESTABLISHED)
                            && !words[INODE].equals(NO_OWNER)) {
                        return words[USER];
                    }
                }
            } catch (IOException e) {
                LOG.debug("connections not listed table={}", table, e);
            }
        }
        return null;
    }

    /** Of this process: files that it makes, and sockets, are that user's. */
    private @Nullable String ownUser() {
        try {
            for (String line :
                    Files.readAllLines(proc.resolve("self").resolve("status"), StandardCharsets.ISO_8859_1)) {
                String[] words = line.split("\\s+", -1);
                if (words.length > 2 && words[0].equals("Uid:")) {
                    return words[2]; // the effective one
                }
            }
        } catch (IOException e) {
            LOG.debug("user of this process not known", e);
        }
        return null;
    }

    /**
     * How the tables print an address: words in the byte order of the machine. A socket of IPv6 has an IPv4 address
     * within one of its own.
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
