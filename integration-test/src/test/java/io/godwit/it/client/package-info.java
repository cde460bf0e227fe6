/** A scriptable MQTT client on plain sockets. */
@NullMarked
package io.godwit.it.client;

import org.jspecify.annotations.NullMarked;
