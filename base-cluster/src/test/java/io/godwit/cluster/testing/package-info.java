/** In-memory twins of what other modules use of the cluster. */
@NullMarked
package io.godwit.cluster.testing;

import org.jspecify.annotations.NullMarked;
