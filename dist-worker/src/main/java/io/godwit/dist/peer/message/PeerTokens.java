package io.godwit.dist.peer.message;

import io.godwit.cluster.link.Lane;
import io.godwit.cluster.link.Peer;
import io.godwit.dist.client.DeliveryToken;
import io.godwit.dist.deliver.TokenMemory;
import io.godwit.dist.index.compact.NodeSet;
import io.godwit.dist.peer.link.ControlFrames;
import io.godwit.dist.peer.link.PeerTimers;
import io.godwit.dist.wire.FinishedToken;
import io.godwit.dist.wire.FinishedTokens;
import io.godwit.dist.wire.PeerFrame;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The peers that were given messages under each delivery token: they are told when tokens are finished, in batches.
 * Beyond {@link #MAX_TOKENS}, or fewer if ids are long, the oldest token is forgotten here, and by a peer when it has
 * too many itself. Event loops and range executors contend for the lock; messages with a token have waited for a
 * commit.
 */
public final class PeerTokens {
    static final int MAX_TOKENS = 100_000;
    static final Duration GATHER = Duration.ofMillis(100);
    private static final int MAX_BATCH_BYTES = 32 * 1024;
    private static final int TOKEN_BYTES = 16;

    private static final class Batch {
        private FinishedTokens.Builder tokens = FinishedTokens.newBuilder();
        private int bytes;
    }

    private final PeerTimers timers;
    private final TokenMemory<NodeSet> given = new TokenMemory<>();
    private final Map<Peer, Batch> finished = new LinkedHashMap<>();

    public PeerTokens(PeerTimers timers) {
        this.timers = timers;
    }

    synchronized void given(DeliveryToken token, NodeSet nodes) {
        NodeSet known = given.get(token.origin(), token.number());
        NodeSet all = known == null ? NodeSet.NONE : known;
        for (int i = 0; i < nodes.size(); i++) {
            all = all.with(nodes.get(i));
        }
        given.put(token.origin(), token.number(), all);
        while (given.isOver(MAX_TOKENS)) {
            given.forgetOldest();
        }
    }

    public synchronized void finished(String origin, long number) {
        NodeSet nodes = given.remove(origin, number);
        for (int i = 0; nodes != null && i < nodes.size(); i++) {
            add(nodes.get(i), origin, number);
        }
    }

    private void add(Peer peer, String origin, long number) {
        if (finished.isEmpty()) {
            timers.after(GATHER, this::flushAll);
        }
        Batch batch = finished.computeIfAbsent(peer, none -> new Batch());
        batch.tokens.addTokens(FinishedToken.newBuilder().setOrigin(origin).setNumber(number));
        batch.bytes += TOKEN_BYTES + origin.length();
        if (batch.bytes > MAX_BATCH_BYTES) {
            flush(peer, batch);
        }
    }

    private synchronized void flushAll() {
        finished.forEach(PeerTokens::flush);
        finished.clear();
    }

    private static void flush(Peer peer, Batch batch) {
        if (batch.bytes > 0) {
            PeerFrame frame = PeerFrame.newBuilder().setFinished(batch.tokens).build();
            peer.send(Lane.CONTROL, ControlFrames.encode(frame));
            batch.tokens = FinishedTokens.newBuilder();
            batch.bytes = 0;
        }
    }

    /** The peers that a token was given to; null when it is finished, or was given to none. */
    synchronized @Nullable NodeSet of(String origin, long number) {
        return given.get(origin, number);
    }
}
