package io.godwit.plugin.auth;

import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;

/**
 * One filter of a SUBSCRIBE to be checked.
 *
 * @param qos the highest the client wants
 */
public record SubscribeRequest(ClientInfo client, TopicFilter filter, Qos qos) {}
