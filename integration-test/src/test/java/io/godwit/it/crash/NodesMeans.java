package io.godwit.it.crash;

import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.crash.NodesPlan.Trouble;
import io.godwit.it.kv.fault.ClockJump;
import io.godwit.it.kv.fault.Links;
import io.godwit.it.kv.fault.NamespaceLinks;
import io.godwit.it.kv.fault.ProxyLinks;
import io.godwit.it.kv.fault.SmallDisk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What troubles of nodes are made with: the links between them, and a disk and a clock for each. Troubles that this
 * machine does not allow are left out, with the reason in the log. Used by one thread.
 */
final class NodesMeans implements AutoCloseable {
    /** Free room below which a node refuses what adds data. */
    static final long LOW_WATER_BYTES = 64L << 20;

    private static final Logger LOG = LoggerFactory.getLogger(NodesMeans.class);
    private static final long DISK_BYTES = 1L << 30;

    private final Links links;
    private final Set<Trouble> possible;
    private final List<SmallDisk> disks = new ArrayList<>();
    private final List<ClockJump> clocks = new ArrayList<>();

    private NodesMeans(Links links, Set<Trouble> possible) {
        this.links = links;
        this.possible = possible;
    }

    /**
     * Makes what the troubles need. Links are network namespaces where possible, and else proxies of this process;
     * {@code -Dnemesis.links=proxy} asks for these.
     *
     * @param directory where disks are mounted
     */
    static NodesMeans of(int nodes, Path directory, Set<Trouble> wanted) throws IOException, InterruptedException {
        NodesMeans means = new NodesMeans(links(nodes), EnumSet.copyOf(wanted));
        try {
            means.tryOut(Trouble::needsSlowLinks, () -> means.links.slow(0, 1 << 20));
            means.tryOut(Trouble::needsLateLinks, () -> means.links.delay(0, 1));
            means.links.hasten(0);
            for (int node = 0; node < nodes; node++) {
                Path own = directory.resolve("means" + node);
                means.tryOut(
                        Trouble::needsDisks, () -> means.disks.add(SmallDisk.make(own.resolve("disk"), DISK_BYTES)));
                means.tryOut(Trouble::needsClocks, () -> means.clocks.add(ClockJump.in(own.resolve("clock"))));
            }
            return means;
        } catch (IOException | InterruptedException | RuntimeException e) {
            means.close();
            throw e;
        }
    }

    private static Links links(int nodes) throws IOException {
        if (!"proxy".equals(System.getProperty("nemesis.links"))) {
            try {
                return NamespaceLinks.make(nodes);
            } catch (IOException e) {
                LOG.warn("no network namespaces here, links pass proxies instead: {}", e.getMessage());
            }
        }
        return new ProxyLinks(nodes);
    }

    private interface Attempt {
        void make() throws IOException, InterruptedException;
    }

    private void tryOut(Predicate<Trouble> concerned, Attempt attempt) throws InterruptedException {
        if (possible.stream().noneMatch(concerned)) {
            return;
        }
        try {
            attempt.make();
        } catch (IOException | IllegalStateException e) {
            for (Trouble trouble : EnumSet.copyOf(possible)) {
                if (concerned.test(trouble)) {
                    LOG.warn("SKIPPED: no {} here: {}", trouble, e.getMessage());
                    possible.remove(trouble);
                }
            }
        }
    }

    /** Those of the troubles wanted that can be made. */
    Set<Trouble> possible() {
        return possible;
    }

    Links links() {
        return links;
    }

    SmallDisk disk(int node) {
        return disks.get(node);
    }

    ClockJump clock(int node) {
        return clocks.get(node);
    }

    /** Gives a node its disk and its clock, if it has any. Call before its first start. */
    void equip(int number, BrokerProcess node) {
        if (possible.stream().anyMatch(Trouble::needsDisks)) {
            node.dataIn(disk(number).root().resolve("data")).property("kv_disk_low_water_bytes", LOW_WATER_BYTES);
        }
        if (possible.stream().anyMatch(Trouble::needsClocks)) {
            clock(number).environment().forEach(node::environment);
        }
    }

    /** No node runs any more. */
    @Override
    public void close() throws IOException {
        try {
            links.close();
        } finally {
            for (SmallDisk disk : disks) {
                disk.close();
            }
        }
    }
}
