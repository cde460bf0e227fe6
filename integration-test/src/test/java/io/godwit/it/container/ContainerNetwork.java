package io.godwit.it.container;

import com.github.dockerjava.api.exception.DockerException;
import com.github.dockerjava.api.model.Network.Ipam;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.testcontainers.containers.Network;

/** A network of containers whose addresses are known before they start. */
public final class ContainerNetwork implements AutoCloseable {
    private static final int ATTEMPTS = 20;

    private final Network network;
    private final String prefix;

    private ContainerNetwork(Network network, String prefix) {
        this.network = network;
        this.prefix = prefix;
    }

    /** One of 198.18.0.0/15, which is set apart for tests of networks, that the engine can give. */
    public static ContainerNetwork make() throws IOException {
        Random random = new Random();
        DockerException refusal = null;
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            String prefix = "198.19." + random.nextInt(256) + '.';
            Network network = Network.builder()
                    .createNetworkCmdModifier(command -> {
                        Map<String, String> labels = new HashMap<>(Engine.labels());
                        if (command.getLabels() != null) {
                            labels.putAll(command.getLabels());
                        }
                        command.withLabels(labels)
                                .withIpam(new Ipam().withConfig(new Ipam.Config().withSubnet(prefix + "0/24")));
                    })
                    .build();
            try {
                network.getId(); // makes it
                return new ContainerNetwork(network, prefix);
            } catch (DockerException e) {
                refusal = e;
            }
        }
        throw new IOException("no network", refusal);
    }

    Network network() {
        return network;
    }

    /** @param number from 0 */
    public String address(int number) {
        return prefix + (number + 2); // .1 is the engine's end
    }

    @Override
    public String toString() {
        return prefix + "0/24";
    }

    @Override
    public void close() throws IOException {
        Engine.ask("removal of network " + this, network::close);
    }
}
