/** The shared log of a node: entries, terms and votes of all its Raft groups. */
@NullMarked
package io.godwit.kv.raft.log;

import org.jspecify.annotations.NullMarked;
