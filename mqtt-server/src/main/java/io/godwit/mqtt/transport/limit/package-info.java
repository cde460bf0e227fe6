/**
 * Limits over all clients: connections, descriptors, memory for large packets, and bans of those that fail too often.
 */
@NullMarked
package io.godwit.mqtt.transport.limit;

import org.jspecify.annotations.NullMarked;
