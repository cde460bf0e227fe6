/** Traces of packets and messages in the frontend. */
@NullMarked
package io.godwit.mqtt.trace;

import org.jspecify.annotations.NullMarked;
