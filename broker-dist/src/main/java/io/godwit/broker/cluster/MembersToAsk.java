package io.godwit.broker.cluster;

import io.godwit.broker.clients.ClusterNodes;
import io.godwit.cluster.Cluster;
import io.godwit.dist.member.view.MembersView;
import io.grpc.Channel;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * All nodes that may have clients: the members that answer, and those still in the agreed view. A crashed member stays
 * in the view until its clients have been released, and is reported as missing until then.
 */
final class MembersToAsk implements ClusterNodes {
    private final Cluster cluster;
    private final String self;
    private final Supplier<MembersView> view;

    MembersToAsk(Cluster cluster, String self, Supplier<MembersView> view) {
        this.cluster = cluster;
        this.self = self;
        this.view = view;
    }

    @Override
    public String self() {
        return self;
    }

    @Override
    public Set<String> others() {
        Set<String> ids = new HashSet<>();
        cluster.membership().members().forEach(member -> ids.add(member.nodeId()));
        view.get().members().forEach(member -> ids.add(member.life().nodeId()));
        ids.remove(self);
        return ids;
    }

    @Override
    public @Nullable Channel to(String nodeId) {
        return cluster.channels().to(nodeId);
    }
}
