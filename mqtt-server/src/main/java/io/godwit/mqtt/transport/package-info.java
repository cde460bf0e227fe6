/** Listeners: they accept connections and make the pipeline of each. The packages below have the parts. */
@NullMarked
package io.godwit.mqtt.transport;

import org.jspecify.annotations.NullMarked;
