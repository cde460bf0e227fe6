/** The clients connected to this node, for administration. */
@NullMarked
package io.godwit.mqtt.client;

import org.jspecify.annotations.NullMarked;
