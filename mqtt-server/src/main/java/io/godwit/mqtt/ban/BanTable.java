package io.godwit.mqtt.ban;

import io.godwit.plugin.client.ClientInfo;
import java.net.InetAddress;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Bans of operators, looked up for each connection: by client id and user name in one lookup each, by address in one
 * for each prefix length in use. A ban that has ended has no effect, even while it is still in the table. Any thread
 * reads; one thread at a time writes.
 */
public final class BanTable {
    /** The end of a ban without an end. */
    public static final long NEVER = Long.MAX_VALUE;

    private final LongSupplier nowMillis;
    /** End of each ban, in milliseconds since the epoch. */
    private final Map<BanSubject.OfClient, Long> clients = new ConcurrentHashMap<>();

    private final Map<BanSubject.OfUser, Long> users = new ConcurrentHashMap<>();
    private final Map<AddressBlock, Long> addresses = new ConcurrentHashMap<>();
    /** Number of blocks of each prefix length; used by the writer only. */
    private final int[] v4Blocks = new int[AddressBlock.V4_BITS + 1];

    private final int[] v6Blocks = new int[AddressBlock.V6_BITS + 1];
    /** Prefix lengths in use, for IPv4 and for IPv6. Replaced, never changed. */
    private volatile int[] v4 = {};

    private volatile int[] v6 = {};
    private volatile boolean hasAny;
    private final CopyOnWriteArrayList<Consumer<BanSubject>> watchers = new CopyOnWriteArrayList<>();

    /** @param nowMillis milliseconds since the epoch; compared with the end of each ban */
    public BanTable(LongSupplier nowMillis) {
        this.nowMillis = nowMillis;
    }

    /**
     * Registers a watcher for each ban put from now on. It runs on the thread of {@link #put} and must only hand the
     * ban over.
     */
    public void onPut(Consumer<BanSubject> watcher) {
        watchers.add(watcher);
    }

    /**
     * Replaces an earlier ban of the same subject.
     *
     * @param untilMillis when it ends, since the epoch, or {@link #NEVER}
     */
    public void put(BanSubject subject, long untilMillis) {
        if (subject instanceof BanSubject.OfClient client) {
            clients.put(client, untilMillis);
        } else if (subject instanceof BanSubject.OfUser user) {
            users.put(user, untilMillis);
        } else if (subject instanceof BanSubject.OfAddress address) {
            if (addresses.put(address.block(), untilMillis) == null) {
                count(address.block(), 1);
            }
        }
        hasAny = true;
        watchers.forEach(each -> each.accept(subject));
    }

    public void remove(BanSubject subject) {
        if (subject instanceof BanSubject.OfClient client) {
            clients.remove(client);
        } else if (subject instanceof BanSubject.OfUser user) {
            users.remove(user);
        } else if (subject instanceof BanSubject.OfAddress address) {
            if (addresses.remove(address.block()) != null) {
                count(address.block(), -1);
            }
        }
        hasAny = !clients.isEmpty() || !users.isEmpty() || !addresses.isEmpty();
    }

    /** @param by 1 for an added block, -1 for a removed one */
    private void count(AddressBlock block, int by) {
        int[] counts = block.isV6() ? v6Blocks : v4Blocks;
        counts[block.prefixBits()] += by;
        if (block.isV6()) {
            v6 = lengths(counts);
        } else {
            v4 = lengths(counts);
        }
    }

    private static int[] lengths(int[] counts) {
        return IntStream.range(0, counts.length)
                .filter(bits -> counts[bits] > 0)
                .toArray();
    }

    /** Number of bans, including those that have ended. */
    public int size() {
        return clients.size() + users.size() + addresses.size();
    }

    /** Whether any ban matches the client. */
    public boolean isBanned(ClientInfo client) {
        if (!hasAny) {
            return false;
        }
        String userName = client.userName();
        return isNow(clients.get(new BanSubject.OfClient(
                        client.tenant(), client.clientId().value())))
                || userName != null && isNow(users.get(new BanSubject.OfUser(client.tenant(), userName)))
                || isBannedHost(client.remoteAddress());
    }

    private boolean isBannedHost(String remoteAddress) {
        if (v4.length == 0 && v6.length == 0) {
            return false;
        }
        int port = remoteAddress.lastIndexOf(':');
        AddressBlock address = port < 0 ? null : AddressBlock.ofHost(remoteAddress.substring(0, port));
        return address != null && isBanned(address);
    }

    /** Whether a ban of addresses matches. */
    public boolean isBanned(InetAddress address) {
        return hasAny && (v4.length > 0 || v6.length > 0) && isBanned(AddressBlock.of(address));
    }

    private boolean isBanned(AddressBlock address) {
        for (int bits : address.isV6() ? v6 : v4) {
            if (isNow(addresses.get(address.shortened(bits)))) {
                return true;
            }
        }
        return false;
    }

    private boolean isNow(@Nullable Long untilMillis) {
        return untilMillis != null && (untilMillis == NEVER || untilMillis > nowMillis.getAsLong());
    }
}
