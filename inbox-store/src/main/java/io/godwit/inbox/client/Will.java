package io.godwit.inbox.client;

import io.godwit.plugin.message.Message;

/**
 * A will as CONNECT carried it.
 *
 * @param delaySeconds the Will Delay Interval, 0 to 4,294,967,295 [MQTT5-3.1.3-9]
 */
public record Will(Message message, long delaySeconds) {}
