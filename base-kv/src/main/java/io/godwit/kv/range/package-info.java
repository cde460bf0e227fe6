/** One range: its executor, batcher, state machine, database and reads. */
@NullMarked
package io.godwit.kv.range;

import org.jspecify.annotations.NullMarked;
