package io.godwit.kv.member;

import io.godwit.cluster.Seed;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The nodes that begin a cluster together, as one of them sees it: those that its configuration names as seeds, and
 * itself. Their order is that of their addresses as text, which is the same at every node; the first of those that may
 * found is the one that does ({@link JoinRule}).
 *
 * @param self this node's membership, as {@code ip:port}
 * @param all of them in order, this node among them
 * @param unclear why it cannot be told which nodes they are; empty when it can
 */
record FoundingSeeds(String self, List<String> all, String unclear) {
    /** They are announced to every node, in a text of at most 64 KiB. */
    private static final int MAX_SEEDS = 500;

    FoundingSeeds {
        all = List.copyOf(all);
    }

    /**
     * @param host the configured name of this node; empty for none
     * @param domainName a name that stands for all members; empty for none
     */
    static FoundingSeeds of(InetSocketAddress self, String host, String domainName, List<Seed> seeds) {
        String own = ownText(self, seeds);
        TreeSet<String> all = new TreeSet<>();
        all.add(own);
        List<String> unclear = new ArrayList<>();
        for (Seed seed : seeds) {
            List<InetSocketAddress> addresses = ofOneFamily(seed.addresses(), self.getAddress());
            if (addresses.isEmpty()) {
                unclear.add("seed " + seed.name() + " does not resolve");
            } else if (addresses.stream().anyMatch(address -> isSelf(address, self))) {
                if (seeds.size() == 1 && !names(seed.name().host(), self, host)) {
                    unclear.add("the only seed, " + seed.name() + ", is a name that may stand for other nodes later");
                }
            } else if (addresses.size() > 1) {
                unclear.add("seed " + seed.name() + " has " + addresses.size() + " addresses, and is to name one node");
            } else {
                all.add(text(addresses.get(0)));
            }
        }
        if (seeds.isEmpty() && !domainName.isEmpty()) {
            unclear.add("clusterDomainName does not tell which nodes there are to be");
        }
        if (all.size() > MAX_SEEDS) {
            unclear.add("there are " + all.size() + " seeds, of which " + MAX_SEEDS + " at most can begin a cluster");
            return new FoundingSeeds(own, List.of(own), String.join("; ", unclear));
        }
        return new FoundingSeeds(own, List.copyOf(all), String.join("; ", unclear));
    }

    /** As the other nodes know it by the same list: of several addresses of this machine the one that a seed has. */
    private static String ownText(InetSocketAddress self, List<Seed> seeds) {
        List<InetSocketAddress> own = seeds.stream()
                .flatMap(seed -> ofOneFamily(seed.addresses(), self.getAddress()).stream())
                .filter(address ->
                        isSelf(address, self) && !address.getAddress().isLoopbackAddress())
                .toList();
        return own.isEmpty() || own.contains(self) ? text(self) : text(own.get(0));
    }

    /** Other nodes reach this one at one kind of address; those of the other kind are the same nodes once more. */
    private static List<InetSocketAddress> ofOneFamily(List<InetSocketAddress> addresses, InetAddress self) {
        List<InetSocketAddress> alike = addresses.stream()
                .filter(address -> address.getAddress().getClass().equals(self.getClass()))
                .toList();
        return alike.isEmpty() ? addresses : alike;
    }

    /** A machine may know its own name by another address than others do. */
    /** Where other nodes may be, as far as the names of the seeds are known now. */
    static List<InetSocketAddress> others(InetSocketAddress self, List<Seed> seeds) {
        return seeds.stream()
                .flatMap(seed -> seed.addresses().stream())
                .filter(address -> !isSelf(address, self))
                .toList();
    }

    private static boolean isSelf(InetSocketAddress address, InetSocketAddress self) {
        if (address.getPort() != self.getPort()) {
            return false;
        }
        if (address.getAddress().equals(self.getAddress())) {
            return true;
        }
        // on the loopback network each address may be a node of its own
        return !self.getAddress().isLoopbackAddress() && isOfThisMachine(address.getAddress());
    }

    private static boolean isOfThisMachine(InetAddress address) {
        try {
            return address.isLoopbackAddress() || NetworkInterface.getByInetAddress(address) != null;
        } catch (SocketException e) {
            return false;
        }
    }

    private static boolean names(String seedHost, InetSocketAddress self, String host) {
        return seedHost.equals(host)
                || seedHost.equals("localhost")
                || seedHost.equals(self.getAddress().getHostAddress());
    }

    private static String text(InetSocketAddress address) {
        String ip = address.getAddress().getHostAddress();
        int scope = ip.indexOf('%');
        String plain = scope < 0 ? ip : ip.substring(0, scope);
        return (plain.indexOf(':') < 0 ? plain : "[" + plain + "]") + ":" + address.getPort();
    }

    /** As it is announced to other nodes. */
    String text() {
        return unclear.isEmpty() ? String.join(",", all) : "";
    }

    /** As a node announces it that has the same list and is not on it: what this node would announce without itself. */
    String textWithoutSelf() {
        return unclear.isEmpty()
                ? all.stream().filter(seed -> !seed.equals(self)).collect(Collectors.joining(","))
                : "";
    }

    /** Whether a node at {@code at} has announced these same seeds and, since it is none of them, itself besides. */
    boolean areThoseOf(String announced, String at) {
        List<String> theirs = List.of(announced.split(",", -1));
        return !all.contains(at)
                && theirs.contains(at)
                && theirs.stream().filter(seed -> !seed.equals(at)).toList().equals(all);
    }

    /** Whether a node that has announced these seeds lets {@code address} go first. */
    static boolean isBehind(String announced, String at, String address) {
        return address.compareTo(at) < 0 && List.of(announced.split(",", -1)).contains(address);
    }
}
