/** Client libraries that others wrote stay connected by themselves while nodes of a cluster restart or are upgraded. */
@NullMarked
package io.godwit.it.real.rolling;

import org.jspecify.annotations.NullMarked;
