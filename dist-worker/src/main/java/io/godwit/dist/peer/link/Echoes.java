package io.godwit.dist.peer.link;

import io.godwit.cluster.link.Peer;
import io.godwit.dist.wire.Serving;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.LongSupplier;

/**
 * Detects whether this node's messages to a peer come back. Each node sends its clock reading twice a second, with the
 * last reading that has arrived from the other. A peer that receives nothing, or from which nothing arrives, returns
 * nothing new; one behind a slow link does, though late. Thread-safe: the members' thread sends, links receive.
 */
public final class Echoes {
    private final LongSupplier nanoTime;
    /** An entry is removed when its peer is over. */
    private final ConcurrentMap<Peer, Echo> echoes = new ConcurrentHashMap<>();

    private static final class Echo {
        volatile long arrived;
        volatile long returned;
        volatile boolean hasReturned;
    }

    public Echoes(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** The message of this node to a peer. */
    public Serving.Builder outgoing(Peer to) {
        Echo echo = echoes.get(to);
        return Serving.newBuilder().setSent(nanoTime.getAsLong()).setEcho(echo == null ? 0 : echo.arrived);
    }

    /** A message of a peer has arrived. Returns whether it returns something new. Called by one thread per peer. */
    public boolean arrived(Peer from, Serving said) {
        Echo echo = echoes.computeIfAbsent(from, fresh -> new Echo());
        echo.arrived = said.getSent();
        boolean isNew = said.getEcho() != 0 && (!echo.hasReturned || said.getEcho() - echo.returned > 0);
        if (isNew) {
            echo.hasReturned = true;
            echo.returned = said.getEcho();
        }
        return isNew;
    }

    public void over(Peer peer) {
        echoes.remove(peer);
    }
}
