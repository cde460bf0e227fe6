package io.godwit.it.container;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.command.CreateContainerCmd;
import com.github.dockerjava.api.command.InspectContainerResponse.ContainerState;
import com.github.dockerjava.api.exception.DockerException;
import com.github.dockerjava.api.model.Bind;
import com.github.dockerjava.api.model.Capability;
import com.github.dockerjava.api.model.ContainerNetwork.Ipam;
import com.github.dockerjava.api.model.ExposedPort;
import com.github.dockerjava.api.model.HostConfig;
import com.github.dockerjava.api.model.PortBinding;
import com.github.dockerjava.api.model.Ports.Binding;
import com.github.dockerjava.api.model.Volume;
import io.godwit.it.broker.Ports;
import io.godwit.testing.Await;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.Container.ExecResult;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.images.builder.Transferable;
import org.testcontainers.utility.DockerImageName;
import org.testcontainers.utility.MountableFile;

/**
 * A container that is killed, stopped, paused, unplugged and started again, each on the same file system. Its one port
 * is reached at a port of ours that it keeps all the time. It is removed with its files when it is closed. Used by one
 * thread at a time.
 */
public final class ClusterContainer implements AutoCloseable {
    private static final int END_SECONDS = 20;
    private static final long MEMORY_BYTES = 1L << 30;
    private static final int LAST_LINES = 60;

    private final String name;
    private final ContainerNetwork network;
    private final String ip;
    private final int hostPort;
    private final GenericContainer<?> container;
    private boolean isPaused;
    private boolean isUnplugged;

    /**
     * Makes none yet.
     *
     * @param name by which others of the network find it
     * @param ip its address there
     * @param port at which it serves clients
     */
    public ClusterContainer(String name, ContainerNetwork network, String ip, int port) throws IOException {
        this.name = name;
        this.network = network;
        this.ip = ip;
        this.hostPort = Ports.free().getPort();
        this.container = new GenericContainer<>(DockerImageName.parse(ClusterImage.name()))
                .withImagePullPolicy(image -> false)
                .withNetwork(network.network())
                .withNetworkAliases(name)
                .withLabels(Engine.labels())
                .withEnv("PATH", "/usr/bin")
                .withEnv("JAVA_HOME", ClusterImage.JAVA_HOME)
                .withCreateContainerCmdModifier(command -> {
                    HostConfig host = hostOf(command);
                    ExposedPort exposed = ExposedPort.tcp(port);
                    host.withPortBindings(new PortBinding(hostBinding(hostPort), exposed))
                            .withCapAdd(Capability.NET_ADMIN) // to cut links
                            .withMemory(MEMORY_BYTES);
                    command.withHostName(name)
                            .withIpv4Address(ip)
                            .withExposedPorts(exposed)
                            .withHostConfig(host)
                            .withStdinOpen(true); // which ends when the container does
                });
    }

    private static HostConfig hostOf(CreateContainerCmd command) {
        return command.getHostConfig() == null ? new HostConfig() : command.getHostConfig();
    }

    /** On this machine for nobody else. */
    private static Binding hostBinding(int port) {
        String address = engineAddress();
        return address.startsWith("127.") ? Binding.bindIpAndPort(address, port) : Binding.bindPort(port);
    }

    private static String engineAddress() {
        return DockerClientFactory.instance().dockerHostIpAddress();
    }

    public ClusterContainer command(String... words) {
        container.withCommand(words);
        return this;
    }

    public ClusterContainer environment(String variable, String value) {
        container.withEnv(variable, value);
        return this;
    }

    public ClusterContainer file(String path, String text) {
        container.withCopyToContainer(Transferable.of(text), path);
        return this;
    }

    /**
     * Puts a directory of this machine there, where the engine {@link Engine#seesOurFiles sees} it; it is not copied,
     * and stays.
     */
    public ClusterContainer directory(Path ours, String path) {
        Bind bind = new Bind(ours.toString(), new Volume(path));
        container.withCreateContainerCmdModifier(
                command -> command.withHostConfig(hostOf(command).withBinds(bind)));
        return this;
    }

    /** Copies a file or directory of this machine. */
    public ClusterContainer copy(Path from, String to) {
        container.withCopyFileToContainer(MountableFile.forHostPath(from), to);
        return this;
    }

    public String name() {
        return name;
    }

    /** Where we reach it. */
    public InetSocketAddress address() {
        return new InetSocketAddress(engineAddress(), hostPort);
    }

    public void start() throws IOException {
        if (container.getContainerId() == null) {
            try {
                container.start();
            } catch (RuntimeException e) { // of several kinds
                throw new IOException(name + " does not start: " + e.getMessage() + said(), e);
            }
        } else {
            ask("start", () -> client().startContainerCmd(id()).exec());
        }
    }

    public boolean isRunning() throws IOException {
        if (container.getContainerId() == null) {
            return false;
        }
        return Boolean.TRUE.equals(state().getRunning());
    }

    private ContainerState state() throws IOException {
        try {
            return client().inspectContainerCmd(id()).exec().getState();
        } catch (DockerException e) {
            throw new IOException(name + ": " + e.getMessage(), e);
        }
    }

    /** SIGKILL. Returns when it is gone. */
    public void kill() throws IOException {
        if (!isRunning()) {
            return;
        }
        goOn(); // not every engine kills what stands still
        ask("kill", () -> client().killContainerCmd(id()).exec());
        awaitEnd();
    }

    /**
     * SIGTERM. Returns when it is gone.
     *
     * @return how it ended
     */
    public int stop() throws IOException {
        goOn();
        ask("stop", () -> client().stopContainerCmd(id()).withTimeout(30).exec());
        awaitEnd();
        Long code = state().getExitCodeLong();
        return code == null ? -1 : code.intValue();
    }

    private void awaitEnd() throws IOException {
        Await looks = Await.atMost(Duration.ofSeconds(END_SECONDS));
        while (isRunning()) {
            if (!looks.again()) {
                throw new IOException(name + " does not end");
            }
        }
    }

    /** Lets all its processes stand still, by the freezer of its control group. */
    public void pause() throws IOException {
        ask("pause", () -> client().pauseContainerCmd(id()).exec());
        isPaused = true;
    }

    public void goOn() throws IOException {
        if (isPaused) {
            isPaused = false;
            ask("unpause", () -> client().unpauseContainerCmd(id()).exec());
        }
    }

    /** Takes it out of its network: it has no interface then, and nobody reaches it, we neither. */
    public void unplug() throws IOException {
        ask(
                "disconnect",
                () -> client().disconnectFromNetworkCmd()
                        .withContainerId(id())
                        .withNetworkId(network.network().getId())
                        .exec());
        isUnplugged = true;
    }

    /** Puts it back under the same address. */
    public void plug() throws IOException {
        if (isUnplugged) {
            isUnplugged = false;
            ask(
                    "connect",
                    () -> client().connectToNetworkCmd()
                            .withContainerId(id())
                            .withNetworkId(network.network().getId())
                            .withContainerNetwork(new com.github.dockerjava.api.model.ContainerNetwork()
                                    .withAliases(name)
                                    .withIpamConfig(new Ipam().withIpv4Address(ip)))
                            .exec());
        }
    }

    /**
     * Runs a program inside.
     *
     * @throws IOException if it ends with anything but 0, with what it said
     */
    public String run(String... words) throws IOException {
        ExecResult result = tryRun(words);
        if (result.getExitCode() != 0) {
            throw new IOException(name + ": " + Arrays.toString(words) + " ended with " + result.getExitCode() + ": "
                    + result.getStdout() + result.getStderr());
        }
        return result.getStdout();
    }

    /** Runs a program inside, however it ends. */
    public ExecResult tryRun(String... words) throws IOException {
        try {
            return container.execInContainer(words);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        } catch (RuntimeException e) {
            throw new IOException(name + ": " + Arrays.toString(words) + ": " + e.getMessage(), e);
        }
    }

    /** All that it has printed since it was made. */
    public String log() {
        return container.getContainerId() == null ? "" : container.getLogs();
    }

    /** The end of its log. */
    public String said() {
        List<String> lines = log().lines().toList();
        return "; it said at last:\n"
                + String.join("\n", lines.subList(Math.max(0, lines.size() - LAST_LINES), lines.size()));
    }

    private void ask(String what, Engine.Call call) throws IOException {
        Engine.ask(what + " of " + name, call);
    }

    private static DockerClient client() {
        return Engine.client();
    }

    private String id() {
        String id = container.getContainerId();
        if (id == null) {
            throw new IllegalStateException(name + " was never started");
        }
        return id;
    }

    @Override
    public void close() throws IOException {
        goOn();
        ask("removal", container::stop);
    }
}
