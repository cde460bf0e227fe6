/** The Raft groups of a node, and what JRaft needs around them. */
@NullMarked
package io.godwit.kv.raft;

import org.jspecify.annotations.NullMarked;
