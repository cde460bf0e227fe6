/** What a range is, apart from its data, and the log entries: kinds, formats, and what each makes of the state. */
@NullMarked
package io.godwit.kv.range.state;

import org.jspecify.annotations.NullMarked;
