/** The clients that are connected to this node, for whoever administers them. */
@NullMarked
package io.godwit.mqtt.client;

import org.jspecify.annotations.NullMarked;
