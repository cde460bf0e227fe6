package io.godwit.plugin.auth;

import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.message.Qos;

/**
 * A publish to be checked.
 *
 * @param topic a valid topic name, topic aliases resolved
 * @param isWill whether it is the will of a CONNECT, checked then and not again when it is published
 */
public record PublishRequest(ClientInfo client, String topic, Qos qos, boolean retain, boolean isWill) {}
