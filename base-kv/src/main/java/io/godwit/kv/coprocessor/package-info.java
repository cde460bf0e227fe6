/** What a store plugs into its ranges: the deterministic state machine and the leader beside it. */
@NullMarked
package io.godwit.kv.coprocessor;

import org.jspecify.annotations.NullMarked;
