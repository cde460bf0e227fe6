package io.godwit.it.crash;

import io.godwit.it.cluster.BrokerCluster;
import io.godwit.it.cluster.BrokerCluster.Way;
import io.godwit.testing.Pace;
import java.io.IOException;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A cluster of three nodes gets two more, and then the first two of all go, as an operator does it. */
final class Growth implements NodesRun.Course {
    static final int FIRST = 3;
    static final int MORE = 2;

    private static final Logger LOG = LoggerFactory.getLogger(Growth.class);
    private static final List<String> STORES = List.of("dist", "inbox", "retain");
    private static final int PEACE_MILLIS = 5_000;

    private final BrokerCluster cluster;

    /** @param cluster of all, of which the first ones run */
    Growth(BrokerCluster cluster) {
        this.cluster = cluster;
    }

    @Override
    public void run() throws IOException {
        Pace.passMillis(PEACE_MILLIS);
        for (int i = 0; i < MORE; i++) {
            cluster.startNext();
            LOG.info("{} nodes", FIRST + i + 1);
            Pace.passMillis(PEACE_MILLIS);
        }
        for (int leaving = 0; leaving < MORE; leaving++) {
            leave(leaving, FIRST + MORE - 1);
            LOG.info("node {} has gone", leaving);
            Pace.passMillis(PEACE_MILLIS);
        }
    }

    private void leave(int leaving, int asked) throws IOException {
        String id = cluster.id(leaving);
        cluster.atLast(Way.DATA, asked, "drain", id, "--patience", "90");
        cluster.node(leaving).stop();
        cluster.atLast(Way.DATA, asked, "forget", id);
        for (String store : STORES) {
            cluster.awaitRanges(
                    asked,
                    store,
                    "three voters elsewhere",
                    ranges -> ranges.stream()
                            .allMatch(range -> range.voters().size() == 3
                                    && !range.hasReplicaOn(id)
                                    && !range.leader().isEmpty()));
        }
    }
}
