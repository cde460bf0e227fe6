package io.godwit.it.crash;

import io.godwit.it.crash.NodesPlan.Step;
import io.godwit.it.crash.NodesPlan.Trouble;
import io.godwit.it.fake.FakeCluster;
import io.godwit.testing.Await;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;

/**
 * Nodes of this process, which share their state. Their only trouble is {@link Trouble#KILL}.
 *
 * @param cluster it runs; the caller closes it
 */
record FakeNodes(FakeCluster cluster) implements Nodes {
    @Override
    public List<InetSocketAddress> addresses() {
        return cluster.addresses();
    }

    @Override
    public boolean runs(int node) {
        return cluster.isOpen(node);
    }

    @Override
    public String said(int node) {
        return "";
    }

    @Override
    public void pass(Step step) throws IOException {
        if (step.trouble() != Trouble.KILL) {
            throw new IllegalArgumentException("a fake node knows no " + step.trouble());
        }
        cluster.kill(step.victim());
        Await.holds("a killed node", Duration.ofMillis(step.lastMillis()), () -> !runs(step.victim()));
        cluster.launch(step.victim());
    }
}
