/** Which test shows which normative statement of MQTT, and that none for servers is left out. */
@NullMarked
package io.godwit.broker.conformance;

import org.jspecify.annotations.NullMarked;
