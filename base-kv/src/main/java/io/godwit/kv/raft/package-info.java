/** The Raft groups of a node, and their integration with JRaft. */
@NullMarked
package io.godwit.kv.raft;

import org.jspecify.annotations.NullMarked;
