package io.godwit.it.kv;

import io.godwit.it.kv.fault.Links;
import io.godwit.it.kv.fault.NamespaceLinks;
import io.godwit.it.kv.fault.ProxyLinks;
import io.godwit.it.kv.fault.SmallDisk;
import io.godwit.it.kv.node.NodeOptions;
import io.godwit.it.kv.node.NodeOptions.Fault;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Nodes as processes of this machine, in network namespaces where we may, and for the first one a small disk of its
 * own. What the machine does not let us have is done without, and said.
 */
final class ProcessHosts implements Hosts {
    private static final Logger LOG = LoggerFactory.getLogger(ProcessHosts.class);
    static final long DISK_BYTES = 768L << 20;

    private final Links links;
    private final @Nullable SmallDisk disk;
    private final Path directory;
    private final Path logs;

    ProcessHosts(int nodes, Path directory, Path logs, Fault fault) throws IOException {
        this(nodes, directory, logs, fault == Fault.GENUINE);
    }

    /** @param hasSmallDisk whether the first node is to have a disk that can be filled */
    ProcessHosts(int nodes, Path directory, Path logs, boolean hasSmallDisk) throws IOException {
        this.directory = directory;
        this.logs = logs;
        links = links(nodes);
        disk = hasSmallDisk ? disk(directory.resolve("disk")) : null;
    }

    /** Proxies can be asked for by {@code -Dnemesis.links=proxy}. */
    private static Links links(int count) throws IOException {
        if (count > 1 && !"proxy".equals(System.getProperty("nemesis.links"))) {
            try {
                return NamespaceLinks.make(count);
            } catch (IOException e) {
                LOG.warn("no network namespaces here, links pass proxies instead: {}", e.getMessage());
            }
        }
        return new ProxyLinks(count);
    }

    private static @Nullable SmallDisk disk(Path directory) {
        try {
            return SmallDisk.make(directory, DISK_BYTES);
        } catch (IOException e) {
            LOG.warn("SKIPPED: no disk is filled, since this machine does not let us mount one: {}", e.getMessage());
            return null;
        }
    }

    @Override
    public String describe() {
        SmallDisk small = disk;
        return links.describe() + "; small disk: " + (small == null ? "none" : small.describe());
    }

    @Override
    public Links links() {
        return links;
    }

    @Override
    public Set<Trouble> troubles() {
        Set<Trouble> troubles = EnumSet.complementOf(EnumSet.of(Trouble.UNPLUG));
        if (disk == null) {
            troubles.remove(Trouble.FILL_DISK);
        }
        return troubles;
    }

    @Override
    public @Nullable SmallDisk disk() {
        return disk;
    }

    @Override
    public Path data(int node) {
        SmallDisk small = disk;
        Path home = node == 0 && small != null ? small.root() : directory.resolve("n" + (node + 1));
        return home.resolve("data");
    }

    @Override
    public TestNode node(int number, NodeOptions options) throws IOException {
        Path log = logs.resolve(options.name() + ".log");
        Files.createDirectories(directory);
        Files.createDirectories(logs);
        Files.deleteIfExists(log); // of an earlier run
        return new NodeProcess(options, links.prefix(number), log);
    }

    @Override
    public void unplug(int node) {
        throw new UnsupportedOperationException("processes are not unplugged");
    }

    @Override
    public void plug(int node) {
        throw new UnsupportedOperationException("processes are not unplugged");
    }

    @Override
    public void close() throws IOException {
        SmallDisk small = disk;
        try {
            links.close();
        } finally {
            if (small != null) {
                small.close();
            }
        }
    }
}
