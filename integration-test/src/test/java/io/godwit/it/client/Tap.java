package io.godwit.it.client;

import io.godwit.it.wire.Packet;

/**
 * Sees every packet of a client: those out before their bytes leave, those in after they have arrived, and none of a
 * connection that another has superseded. Called on the thread that writes or reads, one call at a time per client.
 *
 * <p>{@code connection} counts the connections of the client, from 1.
 */
public interface Tap {
    Tap NONE = new Tap() {
        @Override
        public void out(int connection, Packet packet) {}

        @Override
        public void in(int connection, Packet packet) {}

        @Override
        public void lost(int connection) {}

        @Override
        public void aborted(int connection) {}
    };

    void out(int connection, Packet packet);

    void in(int connection, Packet packet);

    /** The connection has ended, and not from here. */
    void lost(int connection);

    void aborted(int connection);

    /**
     * The broker has answered a PINGREQ over this connection that was sent after the CONNACK of a later one of the same
     * client.
     */
    default void answered(int connection) {}
}
