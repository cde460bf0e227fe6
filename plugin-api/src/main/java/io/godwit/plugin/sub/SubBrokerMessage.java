package io.godwit.plugin.sub;

import io.godwit.plugin.message.Message;

/**
 * One message.
 *
 * @param message as it was published; even a QoS 2 message may come more than once
 * @param isRepeated whether it may have been delivered before, on this node or another
 */
public record SubBrokerMessage(Message message, boolean isRepeated) {}
