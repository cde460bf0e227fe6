/** The messages between Raft groups of different nodes, over the nodes' RPC servers. */
@NullMarked
package io.godwit.kv.raft.wire;

import org.jspecify.annotations.NullMarked;
