/** Reliable, ordered lanes between the nodes of a cluster. */
@NullMarked
package io.godwit.cluster.link;

import org.jspecify.annotations.NullMarked;
