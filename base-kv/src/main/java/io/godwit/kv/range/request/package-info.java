/** Requests: how they are routed, how they wait for a leader, and how they are forwarded. */
@NullMarked
package io.godwit.kv.range.request;

import org.jspecify.annotations.NullMarked;
