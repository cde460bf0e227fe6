/** The HTTP API for operators. */
@NullMarked
package io.godwit.api;

import org.jspecify.annotations.NullMarked;
