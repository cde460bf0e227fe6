/** Client libraries that others wrote stay connected by themselves while the nodes of a cluster are restarted. */
@NullMarked
package io.godwit.it.real.rolling;

import org.jspecify.annotations.NullMarked;
