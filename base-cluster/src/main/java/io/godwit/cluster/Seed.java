package io.godwit.cluster;

import java.net.InetSocketAddress;
import java.util.List;

/**
 * A seed of the configuration and what its name stands for now.
 *
 * @param addresses empty while the name does not resolve
 */
public record Seed(HostPort name, List<InetSocketAddress> addresses) {
    public Seed {
        addresses = List.copyOf(addresses);
    }
}
