package io.godwit.it.crash;

/** One broken promise in a history. */
record Violation(Rule rule, String text) {
    /** The promises. */
    enum Rule {
        /**
         * A message acknowledged to its publisher reaches every session whose subscription was acknowledged before it
         * was published.
         */
        LOST,
        /** Only what was published is delivered, byte for byte. */
        PHANTOM,
        /** Nothing published after an UNSUBACK is delivered. */
        UNSUBSCRIBED,
        /** QoS 2 is delivered once [MQTT5-4.3.3]; a retained message once for each subscription made. */
        QOS2_TWICE,
        /** A QoS 1 copy that is not a re-delivery comes once for each time the message was published. */
        QOS1_COPY,
        /** Order of one publisher, topic and QoS [MQTT5-4.6.0-5]. */
        ORDER,
        /** A session that was acknowledged is still there. */
        SESSION_LOST,
        /**
         * Packet identifiers in flight are unchanged by a resume, and are not reused [MQTT5-4.4.0-1], [MQTT5-2.2.1].
         */
        PACKET_ID,
        /**
         * What was in flight is sent again on resume, with DUP, in order, and at no other time [MQTT5-4.4.0-1],
         * [MQTT5-3.3.1-1].
         */
        RESEND,
        /**
         * Acknowledgements go out in the order of what they acknowledge [MQTT5-4.6.0-2], [MQTT5-4.6.0-3],
         * [MQTT5-4.6.0-4].
         */
        ACK_ORDER,
        /** Who reads a retained message finds the last one acknowledged, or a newer one; who subscribes is given it. */
        RETAINED,
        /** One connection for each client: the CONNACK of another comes after its end [MQTT5-3.1.4-3]. */
        TWO_CONNECTIONS,
        /** While a node of several is lost, and none refuses, the clients of the others stay connected. */
        SURVIVOR,
        /**
         * No will is published after a proper DISCONNECT [MQTT5-3.14.4-3], and none whose client is back before its
         * delay is over [MQTT5-3.1.3-9].
         */
        WILL_CANCELLED
    }

    @Override
    public String toString() {
        return rule + ": " + text;
    }
}
