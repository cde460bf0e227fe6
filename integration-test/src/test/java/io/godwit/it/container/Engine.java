package io.godwit.it.container;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.exception.DockerException;
import com.github.dockerjava.api.model.Container;
import com.github.dockerjava.api.model.Info;
import com.github.dockerjava.api.model.Network;
import io.godwit.testing.Needs;
import java.io.IOException;
import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.testcontainers.DockerClientFactory;

/**
 * The Docker engine of the tests, wherever Testcontainers finds one: {@code DOCKER_HOST}, or the usual socket. All that
 * is made there bears a label with our machine and pid; the first use of the engine removes what processes have left
 * that are gone, for one that was killed could not.
 */
public final class Engine {
    private static final Logger LOG = LoggerFactory.getLogger(Engine.class);
    private static final String LABEL = "io.godwit.it.owner";
    private static final String MACHINE = machine();
    private static final boolean IS_THERE = begin();

    private Engine() {}

    /** Skips the test, or fails it, where no engine answers; {@link Needs} says which. */
    public static void need() {
        Needs.needOr(
                IS_THERE,
                "docker",
                "no Docker engine answers at DOCKER_HOST or /var/run/docker.sock; .ci/docker-engine start may "
                        + "have one");
    }

    /**
     * Whether it runs on this machine as we do, and not in a virtual one or elsewhere: it can then give containers our
     * directories.
     */
    public static boolean seesOurFiles() throws IOException {
        if (!DockerClientFactory.instance()
                .getTransportConfig()
                .getDockerHost()
                .getScheme()
                .equals("unix")) {
            return false;
        }
        try {
            Info info = client().infoCmd().exec();
            return MACHINE.equals(info.getName())
                    && System.getProperty("os.version").equals(info.getKernelVersion());
        } catch (DockerException e) {
            throw new IOException("info: " + e.getMessage(), e);
        }
    }

    static DockerClient client() {
        return DockerClientFactory.instance().client();
    }

    static Map<String, String> labels() {
        return Map.of(LABEL, MACHINE + '/' + ProcessHandle.current().pid());
    }

    /** An exchange with the engine. */
    interface Call {
        void make();
    }

    /** @throws IOException for what the engine says no to */
    static void ask(String what, Call call) throws IOException {
        try {
            call.make();
        } catch (DockerException e) {
            throw new IOException(what + ": " + e.getMessage(), e);
        }
    }

    private static boolean begin() {
        try {
            if (!DockerClientFactory.instance().isDockerAvailable()) {
                return false;
            }
        } catch (RuntimeException e) { // of several kinds: one answers, and not as it should
            LOG.warn("the Docker engine is of no use", e);
            return false;
        }
        removeLeft();
        return true;
    }

    private static void removeLeft() {
        DockerClient client = client();
        try {
            for (Container container : client.listContainersCmd()
                    .withShowAll(true)
                    .withLabelFilter(List.of(LABEL))
                    .exec()) {
                if (isLeft(container.getLabels())) {
                    LOG.info("removing a container of a process that is gone: {}", container.getId());
                    client.removeContainerCmd(container.getId())
                            .withForce(true)
                            .withRemoveVolumes(true)
                            .exec();
                }
            }
            for (Network network :
                    client.listNetworksCmd().withFilter("label", List.of(LABEL)).exec()) {
                if (isLeft(network.getLabels())) {
                    client.removeNetworkCmd(network.getId()).exec();
                }
            }
        } catch (DockerException e) {
            LOG.warn("what others have left stays: {}", e.getMessage());
        }
    }

    private static boolean isLeft(Map<String, String> labels) {
        String owner = labels.getOrDefault(LABEL, "");
        if (!owner.startsWith(MACHINE + '/')) {
            return false;
        }
        Optional<ProcessHandle> process = ProcessHandle.of(Long.parseLong(owner.substring(MACHINE.length() + 1)));
        return process.isEmpty() || !process.get().isAlive();
    }

    private static String machine() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (IOException e) {
            return "unnamed";
        }
    }
}
