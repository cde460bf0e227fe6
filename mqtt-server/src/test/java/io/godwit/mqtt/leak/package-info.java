/** What the tests leave unreleased fails them. */
@NullMarked
package io.godwit.mqtt.leak;

import org.jspecify.annotations.NullMarked;
