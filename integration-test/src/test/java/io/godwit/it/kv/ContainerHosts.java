package io.godwit.it.kv;

import io.godwit.it.container.ClusterContainer;
import io.godwit.it.container.ClusterImage;
import io.godwit.it.container.ContainerLinks;
import io.godwit.it.container.ContainerNetwork;
import io.godwit.it.container.Engine;
import io.godwit.it.kv.fault.Links;
import io.godwit.it.kv.fault.SmallDisk;
import io.godwit.it.kv.node.KvTestNode;
import io.godwit.it.kv.node.NodeOptions;
import io.godwit.it.kv.node.NodeOptions.Fault;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Nodes in containers: each has the distribution of {@link ClusterImage} with the classes of the tests before it, and
 * its data in the container's own file system, which a kill and a start leave as it is. That cannot be filled without
 * harm to others: the first node has its data on a small disk of this machine instead, where one can be mounted and the
 * engine can give it to a container.
 */
final class ContainerHosts implements Hosts {
    private static final Logger LOG = LoggerFactory.getLogger(ContainerHosts.class);
    private static final String CLASSES = "/opt/it";
    private static final Path DISK = Path.of("/var/godwit");

    private final ContainerNetwork network = ContainerNetwork.make();
    private final ContainerLinks links = new ContainerLinks(network);
    private final List<ClusterContainer> containers = new ArrayList<>();
    private final Path logs;
    private final @Nullable SmallDisk disk;

    ContainerHosts(int nodes, Path directory, Path logs, Fault fault) throws IOException {
        this.logs = logs;
        this.disk = disk(directory.resolve("disk"));
    }

    private static @Nullable SmallDisk disk(Path directory) {
        try {
            if (Engine.seesOurFiles()) {
                return SmallDisk.make(directory, ProcessHosts.DISK_BYTES);
            }
            LOG.warn("SKIPPED: no disk is filled, since the engine does not run beside us");
        } catch (IOException e) {
            LOG.warn("SKIPPED: no disk is filled, since this machine does not let us mount one: {}", e.getMessage());
        }
        return null;
    }

    @Override
    public String describe() {
        SmallDisk small = disk;
        return "containers of " + links.describe() + "; small disk: " + (small == null ? "none" : small.describe());
    }

    @Override
    public Links links() {
        return links;
    }

    @Override
    public Set<Trouble> troubles() {
        Set<Trouble> troubles = EnumSet.allOf(Trouble.class);
        if (disk == null) {
            troubles.remove(Trouble.FILL_DISK);
        }
        if (!links.canCut()) {
            troubles.removeAll(EnumSet.of(Trouble.CUT, Trouble.CUT_ONE_WAY, Trouble.ISOLATE));
        }
        return troubles;
    }

    @Override
    public @Nullable SmallDisk disk() {
        return disk;
    }

    @Override
    public Path data(int node) {
        return DISK.resolve("data");
    }

    @Override
    public TestNode node(int number, NodeOptions options) throws IOException {
        ClusterContainer container =
                new ClusterContainer(options.name(), network, options.host(), options.clientPort());
        List<String> words = new ArrayList<>();
        words.add(ClusterImage.JAVA_HOME + "/bin/java");
        words.addAll(NodeProcess.JVM_OPTIONS);
        words.addAll(List.of("-cp", CLASSES + ':' + ClusterImage.GODWIT + "/lib/*", KvTestNode.class.getName()));
        words.addAll(options.arguments());
        container.copy(testClasses(), CLASSES).command(words.toArray(String[]::new));
        SmallDisk small = disk;
        if (number == 0 && small != null) {
            container.directory(small.root(), DISK.toString());
        }
        containers.add(container);
        links.add(container);
        return new NodeContainer(container, logs.resolve(options.name() + ".log"));
    }

    private static Path testClasses() {
        try {
            return Path.of(KvTestNode.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void unplug(int node) throws IOException {
        containers.get(node).unplug();
    }

    @Override
    public void plug(int node) throws IOException {
        containers.get(node).plug();
    }

    @Override
    public void close() throws IOException {
        SmallDisk small = disk;
        try {
            network.close();
        } finally {
            if (small != null) {
                small.close();
            }
        }
    }
}
