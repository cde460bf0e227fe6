package io.godwit.broker.cluster;

import io.godwit.cluster.link.Links;
import io.godwit.cluster.link.Peer;
import io.godwit.dist.member.Heartbeat;
import io.godwit.dist.member.Introductions;
import io.godwit.dist.member.view.NodeLife;
import io.godwit.dist.peer.LivePeers;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** Introduces a joining node to the members: it learns the live routes of each over their link. */
final class LinkIntroductions implements Introductions {
    private static final long LOOK_MILLIS = 200;

    /** Runs tasks later. */
    interface Timer {
        void later(long millis, Runnable task);
    }

    private final Links links;
    private final LivePeers live;
    private final Timer timer;
    private final LongSupplier nanoTime;
    private final Duration unlinked;
    private final Consumer<NodeLife> ranOut;
    private final Supplier<CompletableFuture<Void>> endClients;

    /**
     * @param nanoTime the monotonic clock of {@code timer}
     * @param unlinked how long a member may be without a link before it is taken for dead
     * @param ranOut receives a member that was without a link for that long
     */
    LinkIntroductions(
            Links links,
            LivePeers live,
            Timer timer,
            LongSupplier nanoTime,
            Duration unlinked,
            Consumer<NodeLife> ranOut,
            Supplier<CompletableFuture<Void>> endClients) {
        this.links = links;
        this.live = live;
        this.timer = timer;
        this.nanoTime = nanoTime;
        this.unlinked = unlinked;
        this.ranOut = ranOut;
        this.endClients = endClients;
    }

    /** Fails when the member has no link for too long; the others are then asked to go on without it. */
    @Override
    public CompletableFuture<Void> introduced(NodeLife member, long revision) {
        // the member applies all committed entries before it answers, including the view in which this node joins
        CompletableFuture<Void> learned = live.learnAllOf(member);
        look(member, learned, nanoTime.getAsLong());
        return learned;
    }

    @Override
    public boolean isLinked(NodeLife member) {
        Peer peer = links.peer(member.nodeId());
        return peer != null && peer.incarnation() == member.incarnation() && peer.isConnected();
    }

    @Override
    public void beat(NodeLife member, Heartbeat beat) {
        live.beat(member, beat);
    }

    private void look(NodeLife member, CompletableFuture<Void> learned, long linkedNanos) {
        if (learned.isDone()) { // or cancelled
            return;
        }
        boolean isLinked = isLinked(member);
        long now = nanoTime.getAsLong();
        if (!isLinked && now - linkedNanos > unlinked.toNanos()) {
            ranOut.accept(member);
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
