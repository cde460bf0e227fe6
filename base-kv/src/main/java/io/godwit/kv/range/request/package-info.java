/** Requests: which range they go to, where they wait for a leader, and how they are handed on. */
@NullMarked
package io.godwit.kv.range.request;

import org.jspecify.annotations.NullMarked;
