/** What the HTTP API asks of the broker, answered by its parts. */
@NullMarked
package io.godwit.broker.api;

import org.jspecify.annotations.NullMarked;
