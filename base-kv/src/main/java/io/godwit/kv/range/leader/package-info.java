/** A replica while it leads: terms, proposals, and the load of the leader. */
@NullMarked
package io.godwit.kv.range.leader;

import org.jspecify.annotations.NullMarked;
