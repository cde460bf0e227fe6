/** The clients of a load, based on Vert.x MQTT, the event loops that run them, and what the loops count. */
@NullMarked
package io.godwit.perf.load.client;

import org.jspecify.annotations.NullMarked;
