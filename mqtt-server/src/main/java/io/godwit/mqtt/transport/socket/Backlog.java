package io.godwit.mqtt.transport.socket;

import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.transport.connection.Connection;
import io.godwit.mqtt.transport.limit.HalfPacket;
import io.godwit.mqtt.transport.limit.HalfReceived;
import io.godwit.plugin.event.DisconnectCause;
import org.jspecify.annotations.Nullable;

/**
 * What has arrived on a connection and has to wait: an incomplete large packet, packets behind a CONNECT that is being
 * served, and packets that are held back. Confined to the channel's event loop, except for {@link #onRoom}. A
 * connection has one from the first time on that something waits.
 */
final class Backlog implements HalfPacket.Owner {
    /** The connection on which packets arrive. */
    interface Owner extends Throttling.Owner {
        /** Whether the client is logged in and the connection is open. */
        boolean isAccepted();

        /** Whether the connection is open and the client is not logged in. */
        boolean isOpening();
    }

    private final Owner connection;
    private final ListenerScope scope;

    /** An incomplete large packet; null when there is none. */
    private @Nullable HalfPacket half;

    /** Resumes packets read after the CONNECT; null when there are none. */
    private @Nullable Runnable behindConnect;

    /** Resumes packets read while the connection was held back; null when there are none. */
    private @Nullable Runnable heldBack;

    Backlog(Owner connection, ListenerScope scope) {
        this.connection = connection;
        this.scope = scope;
    }

    // ---- packets that are read and not handled

    void holdBehindConnect(Runnable goOn) {
        behindConnect = goOn;
    }

    void holdBack(Runnable goOn) {
        heldBack = goOn;
    }

    /** The connection may be read again, as far as this reason goes. */
    void onResumed(Connection.Pause reason) {
        Runnable goOn = behindConnect;
        if (reason == Connection.Pause.CONNECTING && goOn != null) {
            behindConnect = null;
            connection.loop().execute(goOn);
        } else if (reason == Connection.Pause.HELD_BACK) {
            goOn();
        }
    }

    /** Goes on with packets that were held back. */
    void goOn() {
        Runnable goOn = heldBack;
        if (goOn != null) {
            heldBack = null;
            connection.loop().execute(goOn);
        }
    }

    // ---- a packet that takes several reads

    boolean hasHalf() {
        return half != null;
    }

    /**
     * A read has left a packet incomplete.
     *
     * @param arrivedBytes so far
     * @param frameBytes of the whole packet
     */
    void onPartial(int arrivedBytes, int frameBytes) {
        HalfPacket packet = half;
        if (packet == null) {
            if (frameBytes <= HalfReceived.SMALL_BYTES) {
                return;
            }
            boolean isOpening = connection.isOpening();
            packet = new HalfPacket(this, frameBytes, isOpening);
            half = packet;
            connection.lookSoon();
            if (!scope.halfReceived().takes(frameBytes, isOpening)) {
                abandon(packet);
            } else if (!scope.halfReceived().enter(packet)) {
                connection.pauseReading(Connection.Pause.HALF_RECEIVED);
            }
        }
        packet.arrived(arrivedBytes);
    }

    void onPartialEnded() {
        HalfPacket packet = half;
        if (packet != null) {
            half = null;
            scope.halfReceived().leave(packet);
        }
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // it may have been given up meanwhile
    public void onRoom(HalfPacket packet) {
        connection.loop().execute(() -> {
            if (half == packet) {
                connection.resumeReading(Connection.Pause.HALF_RECEIVED);
            }
        });
    }

    /**
     * A second has passed on an open connection.
     *
     * @param isReading whether the connection is read
     */
    void onTick(boolean isReading) {
        HalfPacket packet = half;
        if (packet != null && isReading) {
            packet.secondRead();
            if (packet.isTooSlow() && scope.halfReceived().isWanted(packet)) {
                abandon(packet);
            }
        }
    }

    private void abandon(HalfPacket packet) {
        scope.reports().packetAbandoned(connection, connection.client(), packet.frameBytes(), packet.arrivedBytes());
        String detail = "a packet of " + packet.frameBytes() + " bytes takes too much room";
        if (connection.isAccepted()) {
            connection.disconnect(ReasonCode.QUOTA_EXCEEDED, DisconnectCause.PACKET_ABANDONED, detail);
        } else {
            connection.close(detail);
        }
    }
}
