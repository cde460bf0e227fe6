/** What the Raft groups of nodes tell each other, over the RPC server of the node. */
@NullMarked
package io.godwit.kv.raft.wire;

import org.jspecify.annotations.NullMarked;
