/**
 * The interfaces through which the API uses the broker, a package for each subject below this one. The broker
 * implements them; the API depends on no other part of it. Values are immutable.
 */
@NullMarked
package io.godwit.api.port;

import org.jspecify.annotations.NullMarked;
