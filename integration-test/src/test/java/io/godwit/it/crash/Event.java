package io.godwit.it.crash;

import org.jspecify.annotations.Nullable;

/**
 * One line of a history. Which fields mean something follows from the kind; the others are 0 or null.
 *
 * @param nanos since the beginning of the history
 * @param connection of the client, from 1; the number of a node that is lost or back, from 0
 * @param packetId for a CONNECT, the number of the node that it goes to, from 1; 0 when that is not known
 * @param code reason code; QoS of a PUBLISH or a will; options of a SUBSCRIBE
 * @param flag DUP of a PUBLISH, session present of a CONNACK, clean of a CONNECT; of a node that is lost, whether it
 *     goes on to lead ranges and refuses what they are asked for
 * @param retain of a PUBLISH
 * @param text the filter or the topic; of a CONNECT, the seconds by which its will is delayed, null for none
 * @param message of a PUBLISH (null when its payload is empty: a retained message cleared) or a will
 */
record Event(
        long nanos,
        Kind kind,
        String client,
        int connection,
        int packetId,
        int code,
        boolean flag,
        boolean retain,
        @Nullable String text,
        @Nullable MessageId message) {

    /** "Out" and "in" are the client's: out before the bytes leave, in after they have arrived. */
    enum Kind {
        KILL,
        READY,
        CONNECT_OUT,
        CONNACK_IN,
        DISCONNECT_OUT,
        DISCONNECT_IN,
        ABORT,
        LOST,
        PUBLISH_OUT,
        PUBACK_IN,
        PUBREC_IN,
        PUBREL_OUT,
        PUBCOMP_IN,
        PUBLISH_IN,
        PUBACK_OUT,
        PUBREC_OUT,
        PUBREL_IN,
        PUBCOMP_OUT,
        SUBSCRIBE_OUT,
        SUBACK_IN,
        UNSUBSCRIBE_OUT,
        UNSUBACK_IN,
        /** Another connection of the client has been accepted, and this one still answers a PINGREQ. */
        ANSWERED,
        /** One node of several is about to be killed or to stand still. */
        NODE_LOST,
        /** It serves again. */
        NODE_BACK,
        /** A client that reads the retained messages is about to subscribe. */
        READ_BEGIN,
        /** It has found this one ({@code text} is the topic). */
        READ,
        /** It has read; with {@code flag}, what it has not found is absent. */
        READ_END,
        /** A payload that nobody sent. */
        DAMAGED
    }

    static Event of(Kind kind, String client, int connection) {
        return new Event(0, kind, client, connection, 0, 0, false, false, null, null);
    }

    Event at(long time) {
        return new Event(time, kind, client, connection, packetId, code, flag, retain, text, message);
    }

    Event withPacketId(int id) {
        return new Event(nanos, kind, client, connection, id, code, flag, retain, text, message);
    }

    Event withCode(int value) {
        return new Event(nanos, kind, client, connection, packetId, value, flag, retain, text, message);
    }

    Event withFlag(boolean value) {
        return new Event(nanos, kind, client, connection, packetId, code, value, retain, text, message);
    }

    Event withRetain(boolean value) {
        return new Event(nanos, kind, client, connection, packetId, code, flag, value, text, message);
    }

    Event withText(String value) {
        return new Event(nanos, kind, client, connection, packetId, code, flag, retain, value, message);
    }

    Event withMessage(@Nullable MessageId value) {
        return new Event(nanos, kind, client, connection, packetId, code, flag, retain, text, value);
    }
}
