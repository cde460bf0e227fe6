package io.godwit.cluster.member;

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

/** Asks the current addresses of the seeds and former members. JGroups' own discovery resolves names only once. */
final class SeedDiscovery extends TCPPING {
    /** Limit of the addresses of former members that are kept beside the seeds. */
    private static final int MAX_REMEMBERED = 64;

    private final Supplier<Set<InetSocketAddress>> seeds;

    SeedDiscovery(Supplier<Set<InetSocketAddress>> seeds) {
        this.seeds = seeds;
        setId(ClassConfigurator.getProtocolId(TCPPING.class));
        initial_hosts_set_programmatically = true;
        max_dynamic_hosts = MAX_REMEMBERED;
        // a seed that accepts no connections must not delay the others
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
