package io.godwit.cluster;

import java.net.InetSocketAddress;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jgroups.Address;
import org.jgroups.PhysicalAddress;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.TCPPING;
import org.jgroups.stack.IpAddress;
import org.jgroups.util.Responses;

/** Asks whoever is behind the seeds at that moment, and who was a member before. JGroups' own resolves names once. */
final class SeedDiscovery extends TCPPING {
    /** Addresses of former members, beside the seeds. */
    private static final int MAX_REMEMBERED = 64;

    private final Supplier<Set<InetSocketAddress>> seeds;

    SeedDiscovery(Supplier<Set<InetSocketAddress>> seeds) {
        this.seeds = seeds;
        setId(ClassConfigurator.getProtocolId(TCPPING.class));
        initial_hosts_set_programmatically = true;
        max_dynamic_hosts = MAX_REMEMBERED;
        // one seed that takes no connections does not keep the others waiting
        async_discovery = true;
        async_discovery_use_separate_thread_per_request = true;
    }

    @Override
    public void findMembers(List<Address> members, boolean initialDiscovery, Responses responses) {
        Collection<PhysicalAddress> targets = seeds.get().stream()
                .map(address -> (PhysicalAddress) new IpAddress(address.getAddress(), address.getPort()))
                .toList();
        initial_hosts = targets;
        if (initialDiscovery && targets.isEmpty()) {
            responses.done(); // nobody will answer
            return;
        }
        super.findMembers(members, initialDiscovery, responses);
    }
}
