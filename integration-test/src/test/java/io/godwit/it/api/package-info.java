/** The HTTP API of packaged brokers. */
@NullMarked
package io.godwit.it.api;

import org.jspecify.annotations.NullMarked;
