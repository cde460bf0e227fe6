package io.godwit.mqtt.packet;

/**
 * One MQTT control packet. Immutable; its arrays are shared and must not be modified by anyone after construction.
 *
 * <p>What a property of MQTT 5.0 says by being absent is said here by -1 in a number, null in a reference and an empty
 * list in user properties. Under MQTT 3.1 and 3.1.1 every property is absent, and reason codes are translated where
 * those versions know fewer.
 */
public sealed interface Packet
        permits Connect,
                ConnAck,
                Publish,
                PublishReply,
                Subscribe,
                Unsubscribe,
                FilterReply,
                PingReq,
                PingResp,
                Disconnect,
                Auth {}
