/** The state of a range, apart from its data, and the log entries: their kinds, formats and effects on the state. */
@NullMarked
package io.godwit.kv.range.state;

import org.jspecify.annotations.NullMarked;
