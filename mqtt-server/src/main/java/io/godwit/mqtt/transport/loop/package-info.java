/**
 * The state of an event loop: its mail from other threads, its connections, and the output that it flushes at the end
 * of an iteration.
 */
@NullMarked
package io.godwit.mqtt.transport.loop;

import org.jspecify.annotations.NullMarked;
