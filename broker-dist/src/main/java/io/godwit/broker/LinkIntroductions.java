package io.godwit.broker;

import io.godwit.cluster.link.Links;
import io.godwit.cluster.link.Peer;
import io.godwit.dist.member.Introductions;
import io.godwit.dist.member.NodeLife;
import io.godwit.dist.peer.LivePeers;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** A node that joins learns the live routes of each member over its link. */
final class LinkIntroductions implements Introductions {
    private static final long LOOK_MILLIS = 200;
    /** A member that is not linked for so long is taken for over, and the others are asked to go on without it. */
    private static final long UNLINKED_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** Runs tasks later. */
    interface Timer {
        void later(long millis, Runnable task);
    }

    private final Links links;
    private final LivePeers live;
    private final Timer timer;
    private final Supplier<CompletableFuture<Void>> endClients;

    LinkIntroductions(Links links, LivePeers live, Timer timer, Supplier<CompletableFuture<Void>> endClients) {
        this.links = links;
        this.live = live;
        this.timer = timer;
        this.endClients = endClients;
    }

    /** A member that is not linked for too long is taken for over. */
    @Override
    public CompletableFuture<Void> introduced(NodeLife member, long revision) {
        // the member applies all that is committed before it answers, the view in which this node joins included
        CompletableFuture<Void> learned = live.learnAllOf(member);
        look(member, learned, System.nanoTime());
        return learned;
    }

    @Override
    public boolean isLinked(NodeLife member) {
        Peer peer = links.peer(member.nodeId());
        return peer != null && peer.incarnation() == member.incarnation() && peer.isConnected();
    }

    @Override
    public void say(NodeLife member, long since) {
        live.say(member, since);
    }

    private void look(NodeLife member, CompletableFuture<Void> learned, long linkedNanos) {
        if (learned.isDone()) { // or cancelled
            return;
        }
        boolean isLinked = isLinked(member);
        long now = System.nanoTime();
        if (!isLinked && now - linkedNanos > UNLINKED_NANOS) {
            learned.completeExceptionally(new IOException(member + " is not linked"));
            return;
        }
        timer.later(LOOK_MILLIS, () -> look(member, learned, isLinked ? now : linkedNanos));
    }

    @Override
    public CompletableFuture<Void> closeClients() {
        return endClients.get();
    }
}
