/** MQTT over WebSocket: the HTTP request that opens it, and its frames. */
@NullMarked
package io.godwit.mqtt.transport.ws;

import org.jspecify.annotations.NullMarked;
