package io.godwit.dist.peer;

import io.godwit.cluster.link.Peer;
import io.godwit.dist.wire.Serving;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.LongSupplier;

/**
 * Whether what this node sends to a peer comes back: each says twice a second when it has sent that, and returns the
 * last such time that has arrived from the other. A peer that hears nothing, or of which nothing is heard, returns
 * nothing new; one behind a slow link does, though late. Thread-safe: the members' thread sends, links receive.
 */
final class Echoes {
    private final LongSupplier nanoTime;
    /** An entry goes when its peer is over. */
    private final ConcurrentMap<Peer, Echo> echoes = new ConcurrentHashMap<>();

    private static final class Echo {
        volatile long arrived;
        volatile long returned;
        volatile boolean hasReturned;
    }

    Echoes(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** What this node says to a peer. */
    Serving.Builder outgoing(Peer to) {
        Echo echo = echoes.get(to);
        return Serving.newBuilder().setSent(nanoTime.getAsLong()).setEcho(echo == null ? 0 : echo.arrived);
    }

    /** A peer has said something. Returns whether it has returned something new. Called by one thread for each peer. */
    boolean arrived(Peer from, Serving said) {
        Echo echo = echoes.computeIfAbsent(from, fresh -> new Echo());
        echo.arrived = said.getSent();
        boolean isNew = said.getEcho() != 0 && (!echo.hasReturned || said.getEcho() - echo.returned > 0);
        if (isNew) {
            echo.hasReturned = true;
            echo.returned = said.getEcho();
        }
        return isNew;
    }

    void over(Peer peer) {
        echoes.remove(peer);
    }
}
