/** Ranges that other nodes lead: their routes, and requests to them that keep their order. */
@NullMarked
package io.godwit.kv.remote;

import org.jspecify.annotations.NullMarked;
