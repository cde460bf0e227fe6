/** Validated topic names and topic filters (MQTT 5.0, 4.7). */
@NullMarked
package io.godwit.plugin.topic;

import org.jspecify.annotations.NullMarked;
