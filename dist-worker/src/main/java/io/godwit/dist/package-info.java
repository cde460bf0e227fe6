/** The dist-worker: routes, and the matching and fan-out of every publish. */
@NullMarked
package io.godwit.dist;

import org.jspecify.annotations.NullMarked;
