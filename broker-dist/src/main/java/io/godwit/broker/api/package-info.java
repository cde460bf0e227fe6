/** Implementations of the HTTP API's ports, based on the parts of the broker. */
@NullMarked
package io.godwit.broker.api;

import org.jspecify.annotations.NullMarked;
