package io.godwit.mqtt.transport.connection;

import io.godwit.dist.client.SharedPick;
import io.godwit.mqtt.packet.Connect;
import io.godwit.mqtt.packet.Packet;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.quota.TenantAccount;
import io.godwit.mqtt.tenant.TenantClues;
import io.godwit.mqtt.transport.loop.LoopContext;
import io.godwit.plugin.event.DisconnectCause;
import io.godwit.plugin.event.ThrottleCause;
import io.godwit.plugin.message.Qos;
import java.time.Duration;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * One client's connection as sessions see it. Confined to its event loop, except for {@link #loop} and
 * {@link #remoteAddress}.
 */
public interface Connection extends TenantClues {
    LoopContext loop();

    /** {@code host:port} of the client, as a trusted proxy reports it; else of the peer. */
    String remoteAddress();

    /** {@code transport host:port} of its listener, as configured. */
    default String listener() {
        return "";
    }

    /** The value in force; 0 is off, or not known yet. */
    default int keepAliveSeconds() {
        return 0;
    }

    /**
     * The user name from the client's certificate; null when it showed none, or the listener takes no name from
     * certificates.
     *
     * @throws io.godwit.mqtt.packet.ProtocolException for a certificate without such a name
     */
    @Nullable
    String certificateUserName();

    /**
     * Ends an accepted connection after this time from now, with "maximum connect time". Replaces an earlier limit;
     * null for no limit.
     */
    default void endAfter(@Nullable Duration time) {}

    /** The prefix of all topics of this client within the broker, with placeholders; empty for none. */
    default String mountPoint() {
        return "";
    }

    /**
     * How shared groups without their own strategy choose a member for messages of this client; null for the node's
     * default.
     */
    default @Nullable SharedPick sharedPick() {
        return null;
    }

    /** The client failed to authenticate: counts against its source. */
    default void loginFailed() {}

    /** The largest packet the client may send. */
    int maxPacketBytes();

    /** Sets the handler of all following packets. */
    void setHandler(PacketHandler handler);

    /**
     * Applies the values of CONNECT, before the first packet is sent.
     *
     * @param keepAliveSeconds the value in force; 0 is off
     */
    void setUp(Connect connect, int keepAliveSeconds);

    /** CONNACK has been sent with success: from now on errors are answered with DISCONNECT. */
    void accepted();

    /**
     * Appends {@code packet} to the output, which is written at the end of the loop's iteration. Does nothing on a
     * closed connection.
     *
     * @return false when it is larger than the client allows [MQTT5-3.1.2-24]; then nothing was appended
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

    /** Whether more may be delivered now: the client keeps up with the output, and has bandwidth left. */
    boolean isWritable();

    /**
     * Replaces the listener's rates, each per second, 0 being no limit; empty for the listener's own.
     *
     * @param bytesIn bytes from the client
     * @param bytesOut bytes to the client
     * @param publishes publishes from the client
     */
    default void limitRates(OptionalLong bytesIn, OptionalLong bytesOut, OptionalLong publishes) {}

    /** From now on also counts reads and writes for the client's tenant, whose limits may then pause both. */
    default void shareRates(TenantAccount account) {}

    /** Whether the outbound limit of the client or its tenant is used up: the broker itself holds the output back. */
    default boolean isOverBandwidth() {
        return false;
    }

    /**
     * A publish of this many bytes is about to be stored; negative when storing has ended. Also called after the
     * connection closed.
     */
    default void stores(int bytes) {}

    /** Stops reading until {@link #resumeReading} has withdrawn every reason. */
    void pauseReading(Pause reason);

    void resumeReading(Pause reason);

    /** Requests {@link PacketHandler#onTick} from the next second on. */
    void needTicks();

    /** Whether it is neither closed nor closing. */
    boolean isOpen();

    /**
     * Ends a connection that has not passed CONNECT: writes pending output, then closes the socket.
     * {@link PacketHandler#onClosed} follows soon, not within this call.
     */
    void close(String reason);

    /**
     * The same for a connection that may have passed CONNECT.
     *
     * @param reason for people
     */
    void close(DisconnectCause cause, String reason);

    /**
     * Like {@link #close}, because the peer has ended the connection or it is lost. Reported if no CONNECT was answered
     * before.
     */
    void closedByPeer(String reason);

    /**
     * Like {@link #close}, after the client's DISCONNECT: the client sends nothing more and closes the connection
     * itself [MQTT5-3.14.4-1], so the socket is not kept open for that.
     */
    void closeAsAgreed(String reason);

    /** {@link #close} after a DISCONNECT, which only 5.0 has [MQTT5-3.14.4]. */
    void disconnect(ReasonCode code, DisconnectCause cause, @Nullable String detail);

    /**
     * {@link #close} after a DISCONNECT that says that the server shuts down, or that refers to another server where
     * one is configured.
     */
    void sendAway();

    /** {@link #close} after a CONNACK with the reason; only before {@link #accepted}. */
    default void refuse(ReasonCode code, @Nullable String detail) {
        refuse(code, detail, detail);
    }

    /**
     * The same; the client is told less than the operator.
     *
     * @param told for the client
     * @param detail for the operator
     */
    void refuse(ReasonCode code, @Nullable String told, @Nullable String detail);

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
        /** A loop or a leader that its publishes go to is behind. Packets already read are not handled either. */
        HELD_BACK(ThrottleCause.NODE_BUDGET),
        /** Too many of its SUBSCRIBEs and UNSUBSCRIBEs are not yet answered. */
        SUBSCRIBING(ThrottleCause.UNACKNOWLEDGED),
        /** The loop's budget of filters being subscribed is used up, also by other connections. */
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
        /** The budget for incomplete packets is used up. */
        HALF_RECEIVED(ThrottleCause.HALF_RECEIVED),
        /** It sends packets that need an answer, and does not read the answers. */
        UNREAD_ANSWERS(ThrottleCause.UNREAD_ANSWERS),
        /** It publishes while memory is short, and its version of MQTT cannot refuse a publish. */
        MEMORY(ThrottleCause.MEMORY),
        /** Its packets take long to handle, and others are served meanwhile. */
        TURN(null),
        /** The server drains. */
        DRAINING(null);

        private final @Nullable ThrottleCause cause;

        Pause(@Nullable ThrottleCause cause) {
            this.cause = cause;
        }

        /** The cause that is reported; null for pauses of normal operation. */
        public @Nullable ThrottleCause cause() {
            return cause;
        }
    }
}
