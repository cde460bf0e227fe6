package io.godwit.cluster.member;

import io.godwit.cluster.config.HostPort;
import java.net.InetSocketAddress;
import java.util.List;

/**
 * A seed of the configuration and the addresses that its name resolves to now.
 *
 * @param addresses empty while the name does not resolve
 */
public record Seed(HostPort name, List<InetSocketAddress> addresses) {
    public Seed {
        addresses = List.copyOf(addresses);
    }
}
