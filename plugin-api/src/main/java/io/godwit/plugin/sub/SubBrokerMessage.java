package io.godwit.plugin.sub;

import io.godwit.plugin.message.Message;

/**
 * One message.
 *
 * @param message as it was published; what is QoS 2 there comes at least once too
 * @param isRepeated whether it may have been handed over before, on this node or another
 */
public record SubBrokerMessage(Message message, boolean isRepeated) {}
