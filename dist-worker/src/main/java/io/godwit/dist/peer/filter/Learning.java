package io.godwit.dist.peer.filter;

import io.godwit.cluster.link.Links;
import io.godwit.cluster.link.Peer;
import io.godwit.dist.member.view.NodeLife;
import io.godwit.kv.client.RangeException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Incarnations of members whose full state this node wants to learn: each is asked through its present peer, and again
 * through the next one when that peer is over before it has answered. The caller and the links contend for the lock.
 */
public final class Learning {
    private record Wait(NodeLife life, CompletableFuture<Void> learned) {}

    private final Links links;
    private final PeerBarriers barriers;
    /** Some may be done. Guarded by this. */
    private final List<Wait> waiting = new ArrayList<>();

    public Learning(Links links, PeerBarriers barriers) {
        this.links = links;
        this.barriers = barriers;
    }

    public CompletableFuture<Void> learn(NodeLife life) {
        Wait wait = new Wait(life, new CompletableFuture<>());
        synchronized (this) {
            waiting.removeIf(other -> other.learned.isDone());
            waiting.add(wait);
        }
        Peer peer = links.peer(life.nodeId());
        if (peer != null) {
            ask(peer, wait);
        }
        return wait.learned;
    }

    public void joined(Peer peer) {
        open().forEach(wait -> ask(peer, wait));
    }

    private synchronized List<Wait> open() {
        waiting.removeIf(wait -> wait.learned.isDone());
        return List.copyOf(waiting);
    }

    private void ask(Peer peer, Wait wait) {
        NodeLife life = wait.life;
        CompletableFuture<Void> learned = wait.learned;
        if (!peer.nodeId().equals(life.nodeId())) {
            return;
        }
        if (peer.incarnation() == life.incarnation()) {
            barriers.askWithFilters(peer, () -> learned.complete(null));
        } else if (peer.incarnation() > life.incarnation()) {
            learned.completeExceptionally(
                    new RangeException(RangeException.Cause.MOVED, "the node has restarted as " + peer.incarnation()));
        }
    }
}
