package io.godwit.it.container;

import io.godwit.it.kv.fault.Links;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Links between containers of one network, cut as {@code NamespaceLinks} does it: by a wrong hardware address for the
 * receiver in the sender's table of neighbours, written from within. Clients come from another address and are not
 * concerned.
 */
public final class ContainerLinks implements Links {
    /** A hardware address that nobody has: locally administered. */
    private static final String NOBODY = "02:00:00:00:00:01";
    /** {@code $1}: our address, {@code $2}: the neighbour's. The interface has another name after it was away. */
    private static final String DEVICE = "read -r _ device _ < <(ip -o -4 addr show to \"$1\"); ";

    private static final String CUT =
            DEVICE + "ip neigh replace \"$2\" lladdr " + NOBODY + " nud permanent dev \"$device\"";
    private static final String HEAL = DEVICE + "ip neigh del \"$2\" dev \"$device\"";

    private record Way(int from, int to) {}

    private final ContainerNetwork network;
    private final List<ClusterContainer> containers = new ArrayList<>();
    private final Set<Way> cuts = new HashSet<>();

    public ContainerLinks(ContainerNetwork network) {
        this.network = network;
    }

    public void add(ClusterContainer container) {
        containers.add(container);
    }

    /** Not where this machine has no {@code ip} to put into the image. */
    public boolean canCut() {
        return MachineFiles.program(MachineFiles.IP) != null;
    }

    @Override
    public String describe() {
        return "network " + network;
    }

    @Override
    public String address(int node) {
        return network.address(node);
    }

    @Override
    public List<String> prefix(int node) {
        return List.of();
    }

    @Override
    public int proxyPort(int node) {
        return 0;
    }

    @Override
    public void cut(int from, int to) throws IOException {
        containers.get(from).run("bash", "-c", CUT, "cut", address(from), address(to));
        cuts.add(new Way(from, to));
    }

    @Override
    public void heal(int from, int to) throws IOException {
        // what has ended has another table the next time
        if (cuts.remove(new Way(from, to)) && containers.get(from).isRunning()) {
            containers.get(from).run("bash", "-c", HEAL, "heal", address(from), address(to));
        }
    }

    /** The network is its maker's. */
    @Override
    public void close() {
        cuts.clear();
    }
}
