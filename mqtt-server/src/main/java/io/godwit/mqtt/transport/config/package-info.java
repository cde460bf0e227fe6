/** Settings of listeners, sockets, automatic bans and the memory guard. */
@NullMarked
package io.godwit.mqtt.transport.config;

import org.jspecify.annotations.NullMarked;
