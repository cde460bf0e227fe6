/** The clients and topics with most messages, from samples. */
@NullMarked
package io.godwit.mqtt.top;

import org.jspecify.annotations.NullMarked;
