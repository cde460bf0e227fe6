/** Live sessions over the nodes of a cluster: which node has subscribers of what, and messages between nodes. */
@NullMarked
package io.godwit.dist.peer;

import org.jspecify.annotations.NullMarked;
