/** The counters and events of the frontend. */
@NullMarked
package io.godwit.mqtt.transport.report;

import org.jspecify.annotations.NullMarked;
