/** A replica while it leads: terms, what is proposed through the log, and what the leader has to do. */
@NullMarked
package io.godwit.kv.range.leader;

import org.jspecify.annotations.NullMarked;
