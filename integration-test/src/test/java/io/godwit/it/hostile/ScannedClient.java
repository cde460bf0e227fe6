package io.godwit.it.hostile;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/** A connection of a {@link Swarm} that sends a CONNECT, and is told of each packet. Used by the swarm's thread. */
abstract class ScannedClient implements Swarm.Manner {
    private final byte[] connect;
    private @Nullable PacketScanner scanner;

    ScannedClient(byte[] connect) {
        this.connect = connect;
    }

    /** @param head the beginning of what follows the length of the packet */
    abstract void packet(Swarm.Peer peer, int first, byte[] head);

    @Override
    public final void opened(Swarm.Peer peer) {
        scanner = new PacketScanner((first, head) -> packet(peer, first, head));
        peer.send(connect);
    }

    @Override
    public final void received(Swarm.Peer peer, ByteBuf bytes) {
        if (scanner != null) {
            scanner.add(bytes);
        }
    }
}
