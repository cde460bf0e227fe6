/**
 * Sessions from CONNACK to close: acknowledgements, flow control, in-flight state, and the fan-out to live sessions.
 */
@NullMarked
package io.godwit.mqtt.session;

import org.jspecify.annotations.NullMarked;
