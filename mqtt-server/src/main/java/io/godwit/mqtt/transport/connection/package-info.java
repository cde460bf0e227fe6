/** One client's connection as handlers and sessions see it. */
@NullMarked
package io.godwit.mqtt.transport.connection;

import org.jspecify.annotations.NullMarked;
