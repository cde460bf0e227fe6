/** Clients that others wrote, against the packaged broker. */
@NullMarked
package io.godwit.it.real;

import org.jspecify.annotations.NullMarked;
