/** Sockets: Netty bootstrap, reading, writing and limits of one connection, and the state of event loops. */
@NullMarked
package io.godwit.mqtt.transport;

import org.jspecify.annotations.NullMarked;
