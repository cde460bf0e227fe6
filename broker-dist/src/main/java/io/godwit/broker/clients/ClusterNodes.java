package io.godwit.broker.clients;

import io.grpc.Channel;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The nodes to ask: this one and the other members of its cluster. Any thread. */
public interface ClusterNodes {
    /** Store id of this node. */
    String self();

    /** Store ids of the other nodes that may have clients now; empty without a cluster. */
    Set<String> others();

    /** The channel to another node; null if there is none. */
    @Nullable
    Channel to(String nodeId);

    /** A node without a cluster. */
    static ClusterNodes alone(String self) {
        return new ClusterNodes() {
            @Override
            public String self() {
                return self;
            }

            @Override
            public Set<String> others() {
                return Set.of();
            }

            @Override
            public @Nullable Channel to(String nodeId) {
                return null;
            }
        };
    }
}
