/** Which clients and topics have most messages, out of samples. */
@NullMarked
package io.godwit.mqtt.top;

import org.jspecify.annotations.NullMarked;
