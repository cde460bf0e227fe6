package io.godwit.mqtt.packet;

/**
 * One MQTT control packet. Immutable; its arrays are shared and must not be modified by anyone after construction.
 *
 * <p>An absent property of MQTT 5.0 is -1 as a number, null as a reference, and an empty list for user properties.
 * Under MQTT 3.1 and 3.1.1 every property is absent, and reason codes are mapped to the fewer codes of those versions.
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
