/** Sockets: Netty bootstrap, one connection's reading, writing and limits, and what belongs to an event loop. */
@NullMarked
package io.godwit.mqtt.transport;

import org.jspecify.annotations.NullMarked;
