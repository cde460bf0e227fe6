/** Fails the build for resources that tests leave unreleased. */
@NullMarked
package io.godwit.mqtt.leak;

import org.jspecify.annotations.NullMarked;
