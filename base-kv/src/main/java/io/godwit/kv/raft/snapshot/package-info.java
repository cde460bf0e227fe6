/** Snapshots of Raft groups: how they are sealed and copied between nodes. */
@NullMarked
package io.godwit.kv.raft.snapshot;

import org.jspecify.annotations.NullMarked;
