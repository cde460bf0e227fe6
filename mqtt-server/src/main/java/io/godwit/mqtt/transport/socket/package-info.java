/** One client's socket: input, output, pauses, time-outs, and how it ends. */
@NullMarked
package io.godwit.mqtt.transport.socket;

import org.jspecify.annotations.NullMarked;
