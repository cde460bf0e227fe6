/** Checks that each normative statement of MQTT for servers has a test. */
@NullMarked
package io.godwit.broker.conformance;

import org.jspecify.annotations.NullMarked;
