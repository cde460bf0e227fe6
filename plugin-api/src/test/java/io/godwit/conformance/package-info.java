/** How tests of all modules name the normative statements of MQTT that they test. */
@NullMarked
package io.godwit.conformance;

import org.jspecify.annotations.NullMarked;
