package io.godwit.it.kv;

import io.godwit.it.container.ClusterContainer;
import io.godwit.it.container.ClusterImage;
import io.godwit.it.container.ContainerLinks;
import io.godwit.it.container.ContainerNetwork;
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

/**
 * Nodes in containers: each has the distribution of {@link ClusterImage} with the classes of the tests before it, and its data in the
 * container's own file system, which a kill and a start leave as it is.
 */
final class ContainerHosts implements Hosts {
    private static final String CLASSES = "/opt/it";
    private static final Path DATA = Path.of("/var/godwit");

    private final ContainerNetwork network = ContainerNetwork.make();
    private final ContainerLinks links = new ContainerLinks(network);
    private final List<ClusterContainer> containers = new ArrayList<>();
    private final Path logs;

    ContainerHosts(int nodes, Path directory, Path logs, Fault fault) throws IOException {
        this.logs = logs;
    }

    @Override
    public String describe() {
        return "containers of " + links.describe();
    }

    @Override
    public Links links() {
        return links;
    }

    /** No container has a disk of its own that could be filled without harm to others. */
    @Override
    public Set<Trouble> troubles() {
        Set<Trouble> troubles = EnumSet.complementOf(EnumSet.of(Trouble.FILL_DISK));
        if (!links.canCut()) {
            troubles.removeAll(EnumSet.of(Trouble.CUT, Trouble.CUT_ONE_WAY, Trouble.ISOLATE));
        }
        return troubles;
    }

    @Override
    public @Nullable SmallDisk disk() {
        return null;
    }

    @Override
    public Path data(int node) {
        return DATA;
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
        network.close();
    }
}
