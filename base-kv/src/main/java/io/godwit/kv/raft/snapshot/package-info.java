/** Snapshots of Raft groups: how they are sealed, and copied from node to node. */
@NullMarked
package io.godwit.kv.raft.snapshot;

import org.jspecify.annotations.NullMarked;
