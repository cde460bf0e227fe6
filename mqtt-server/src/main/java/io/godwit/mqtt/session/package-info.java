/**
 * Sessions from CONNACK to close. The packages below have the parts of a session, and its two kinds: live and
 * persistent.
 */
@NullMarked
package io.godwit.mqtt.session;

import org.jspecify.annotations.NullMarked;
