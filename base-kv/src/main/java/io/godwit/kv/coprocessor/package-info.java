/** What a store implements for its ranges: the deterministic state machine, and the leader. */
@NullMarked
package io.godwit.kv.coprocessor;

import org.jspecify.annotations.NullMarked;
