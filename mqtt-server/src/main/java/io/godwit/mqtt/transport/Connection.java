package io.godwit.mqtt.transport;

import io.godwit.dist.client.SharedPick;
import io.godwit.mqtt.packet.Connect;
import io.godwit.mqtt.packet.Packet;
import io.godwit.mqtt.packet.ReasonCode;
import io.godwit.mqtt.quota.TenantAccount;
import io.godwit.mqtt.tenant.TenantClues;
import io.godwit.plugin.event.ThrottleCause;
import io.godwit.plugin.message.Qos;
import java.time.Duration;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * One client's connection as sessions see it. Confined to its event loop but for {@link #loop} and
 * {@link #remoteAddress}.
 */
public interface Connection extends TenantClues {
    LoopContext loop();

    /** {@code host:port} of the client, as a trusted proxy says or else of the peer. */
    String remoteAddress();

    /** {@code transport host:port} of the listener that it came to, as configured. */
    default String listener() {
        return "";
    }

    /** The one that holds; 0 is off, or not known yet. */
    default int keepAliveSeconds() {
        return 0;
    }

    /**
     * The user name that the client's certificate gives; null when it showed none, or the listener takes no name from
     * it.
     *
     * @throws io.godwit.mqtt.packet.ProtocolException for a certificate without such a name
     */
    @Nullable
    String certificateUserName();

    /**
     * It may last so long from now on, in the place of what was said before; then it is ended, when it is accepted,
     * with "maximum connect time". Null for no limit.
     */
    default void endAfter(@Nullable Duration time) {}

    /** Below what all topics of this client stand, with placeholders; empty for none. */
    default String mountPoint() {
        return "";
    }

    /**
     * How shared groups without a strategy of their own choose for messages of this client; null for the node's
     * default.
     */
    default @Nullable SharedPick sharedPick() {
        return null;
    }

    /** Its client could not prove who it is: counts against where it comes from. */
    default void loginFailed() {}

    /** The largest packet the client may send. */
    int maxPacketBytes();

    /** The handler of what follows. */
    void setHandler(PacketHandler handler);

    /**
     * What CONNECT settled, before the first packet is sent.
     *
     * @param keepAliveSeconds the one that holds; 0 is off
     */
    void setUp(Connect connect, int keepAliveSeconds);

    /** CONNACK has been sent with success: from now on errors are answered with DISCONNECT. */
    void accepted();

    /**
     * Appends {@code packet} to the output, which is written at the end of the loop's iteration. Does nothing on a
     * closed connection.
     *
     * @return false when it is larger than the client allows [MQTT5-3.1.2-24]; nothing was appended then
     */
    boolean send(Packet packet);

    /**
     * Like {@link #send(Packet)}, for one of many copies of a message.
     *
     * @param qos of this delivery
     * @param retain the RETAIN flag of this delivery
     * @param packetId 0 at QoS 0
     */
    boolean send(SharedPublish publish, Qos qos, boolean retain, int packetId);

    /** Whether more may be delivered now: the client keeps up with what is sent, and has bandwidth left. */
    boolean isWritable();

    /**
     * Other rates than those of the listener, each per second, 0 being no limit; empty for the listener's.
     *
     * @param bytesIn that it may send
     * @param bytesOut that it is sent
     * @param publishes that it may send
     */
    default void limitRates(OptionalLong bytesIn, OptionalLong bytesOut, OptionalLong publishes) {}

    /** What is read and written from now on may be held back for what all clients of its tenant send and are sent. */
    default void shareRates(TenantAccount account) {}

    /** Whether the client, or all of its tenant, were sent all that they may be for now: it is us who hold it back. */
    default boolean isOverBandwidth() {
        return false;
    }

    /**
     * A publish of its client of so many bytes is to be stored, or, when negative, is or will not be. Also when it is
     * closed.
     */
    default void stores(int bytes) {}

    /** Stops reading until every reason given was withdrawn by {@link #resumeReading}. */
    void pauseReading(Pause reason);

    void resumeReading(Pause reason);

    /** {@link PacketHandler#onTick} is wanted from the next second on. */
    void needTicks();

    /** Whether it is neither closed nor closing. */
    boolean isOpen();

    /**
     * Ends it: writes what is pending, then closes the socket. {@link PacketHandler#onClosed} follows soon, not within
     * this call.
     */
    void close(String reason);

    /**
     * {@link #close} since the client has said that it is done: it sends nothing more and ends the connection itself
     * [MQTT5-3.14.4-1], so the socket is not kept for it to do so.
     */
    void closeAsAgreed(String reason);

    /** {@link #close} after a DISCONNECT, which only 5.0 has [MQTT5-3.14.4]. */
    void disconnect(ReasonCode code, @Nullable String detail);

    /**
     * {@link #close} after a DISCONNECT that says that the server shuts down, or which other one is to be used where
     * the configuration names it.
     */
    void sendAway();

    /** {@link #close} after a CONNACK that says why; before {@link #accepted} only. */
    void refuse(ReasonCode code, @Nullable String detail);

    /** {@link #refuse} with the name of another server, which only 5.0 has [MQTT5-4.11]. */
    void redirect(ReasonCode code, String serverReference);

    /**
     * {@code cause} was thrown while serving this connection: answers a ProtocolException, logs anything else, and
     * closes.
     */
    void fail(Throwable cause);

    /** Why reading pauses. */
    enum Pause {
        /** CONNECT is being served. */
        CONNECTING(null),
        /** Too many of its publishes are not yet stored. */
        UNACKNOWLEDGED(ThrottleCause.UNACKNOWLEDGED),
        /** A loop or a leader that its publishes go to is behind. What was read of it is not handled either. */
        HELD_BACK(ThrottleCause.NODE_BUDGET),
        /** Too many of its SUBSCRIBEs and UNSUBSCRIBEs are not yet answered. */
        SUBSCRIBING(ThrottleCause.UNACKNOWLEDGED),
        /** The filters of other connections are being subscribed to, and there is no room for more. */
        FILTER_ROOM(ThrottleCause.NODE_BUDGET),
        /** The node holds too many publishes that are not yet stored. */
        NODE_BUDGET(ThrottleCause.NODE_BUDGET),
        /** It used up its bandwidth. */
        BANDWIDTH(ThrottleCause.BANDWIDTH_IN),
        /** It has published as much as it may. */
        PUBLISH_RATE(ThrottleCause.PUBLISH_RATE),
        /** The clients of its tenant used up their bandwidth. */
        TENANT_BANDWIDTH(ThrottleCause.TENANT_BANDWIDTH_IN),
        /** The clients of its tenant have published as much as they may. */
        TENANT_PUBLISH_RATE(ThrottleCause.TENANT_PUBLISH_RATE),
        /** There is no room for a packet that has arrived in part. */
        HALF_RECEIVED(ThrottleCause.HALF_RECEIVED),
        /** It sends what has to be answered, and does not read the answers. */
        UNREAD_ANSWERS(ThrottleCause.UNREAD_ANSWERS),
        /** It publishes, memory is short, and its version of MQTT can not be told no. */
        MEMORY(ThrottleCause.MEMORY),
        /** What it has sent takes long to handle, and others are served meanwhile. */
        TURN(null),
        /** The server drains. */
        DRAINING(null);

        private final @Nullable ThrottleCause cause;

        Pause(@Nullable ThrottleCause cause) {
            this.cause = cause;
        }

        /** What it is told as; null when it belongs to the usual course of a connection. */
        @Nullable
        ThrottleCause cause() {
            return cause;
        }
    }
}
