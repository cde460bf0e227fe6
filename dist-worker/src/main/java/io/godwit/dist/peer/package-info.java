/**
 * Live sessions across the nodes of a cluster: which node has subscribers of which filters, and messages between nodes.
 */
@NullMarked
package io.godwit.dist.peer;

import org.jspecify.annotations.NullMarked;
