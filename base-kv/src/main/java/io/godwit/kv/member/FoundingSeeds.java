package io.godwit.kv.member;

import io.godwit.cluster.member.Seed;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The nodes that begin a cluster together, as one of them sees them: the seeds of its configuration and itself. They
 * are ordered by their addresses as text, which is the same on every node. The first of those that may found does so
 * ({@link JoinRule}).
 *
 * @param self the address of this node's membership, as {@code ip:port}
 * @param all all of them in order, including this node
 * @param unclear why the nodes cannot be determined; empty if they can
 */
record FoundingSeeds(String self, List<String> all, String unclear) {
    /** They are announced to every node in a text of at most 64 KiB. */
    private static final int MAX_SEEDS = 500;

    FoundingSeeds {
        all = List.copyOf(all);
    }

    /**
     * @param host the configured host name of this node; empty for none
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
                    unclear.add("the only seed, " + seed.name() + ", is a name that may resolve to other nodes later");
                }
            } else if (addresses.size() > 1) {
                unclear.add("seed " + seed.name() + " has " + addresses.size() + " addresses, but must name one node");
            } else {
                all.add(text(addresses.get(0)));
            }
        }
        if (seeds.isEmpty() && !domainName.isEmpty()) {
            unclear.add("clusterDomainName does not say which nodes the cluster will have");
        }
        if (all.size() > MAX_SEEDS) {
            unclear.add("there are " + all.size() + " seeds, but at most " + MAX_SEEDS + " can begin a cluster");
            return new FoundingSeeds(own, List.of(own), String.join("; ", unclear));
        }
        return new FoundingSeeds(own, List.copyOf(all), String.join("; ", unclear));
    }

    /** This node's address in the lists of other nodes: if the machine has several, the one that a seed has. */
    private static String ownText(InetSocketAddress self, List<Seed> seeds) {
        List<InetSocketAddress> own = seeds.stream()
                .flatMap(seed -> ofOneFamily(seed.addresses(), self.getAddress()).stream())
                .filter(address ->
                        isSelf(address, self) && !address.getAddress().isLoopbackAddress())
                .toList();
        return own.isEmpty() || own.contains(self) ? text(self) : text(own.get(0));
    }

    /**
     * Other nodes reach this one by addresses of one family; addresses of the other family are the same nodes again.
     */
    private static List<InetSocketAddress> ofOneFamily(List<InetSocketAddress> addresses, InetAddress self) {
        List<InetSocketAddress> alike = addresses.stream()
                .filter(address -> address.getAddress().getClass().equals(self.getClass()))
                .toList();
        return alike.isEmpty() ? addresses : alike;
    }

    /** The addresses of other nodes, as far as the names of the seeds resolve now. */
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
        // a machine may know its own name by another address than others do; on the loopback network each may be a node
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

    /** The text that is announced to other nodes. */
    String text() {
        return unclear.isEmpty() ? String.join(",", all) : "";
    }

    /** The text that a node with the same list announces if this node is not in it. */
    String textWithoutSelf() {
        return unclear.isEmpty()
                ? all.stream().filter(seed -> !seed.equals(self)).collect(Collectors.joining(","))
                : "";
    }

    /**
     * Whether the node at {@code at}, which is not one of these seeds, has announced exactly these seeds and itself.
     */
    boolean areThoseOf(String announced, String at) {
        List<String> theirs = List.of(announced.split(",", -1));
        return !all.contains(at)
                && theirs.contains(at)
                && theirs.stream().filter(seed -> !seed.equals(at)).toList().equals(all);
    }

    /** Whether the node that has announced these seeds is ordered after {@code address}, which is one of them. */
    static boolean isBehind(String announced, String at, String address) {
        return address.compareTo(at) < 0 && List.of(announced.split(",", -1)).contains(address);
    }
}
