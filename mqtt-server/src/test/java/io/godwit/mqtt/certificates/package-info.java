/** Certificates for the tests of several modules. */
@NullMarked
package io.godwit.mqtt.certificates;

import org.jspecify.annotations.NullMarked;
