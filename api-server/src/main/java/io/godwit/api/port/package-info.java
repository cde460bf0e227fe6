/**
 * What the API asks of the broker. The broker implements these interfaces; the API knows no other part of it. Values
 * are immutable.
 */
@NullMarked
package io.godwit.api.port;

import org.jspecify.annotations.NullMarked;
