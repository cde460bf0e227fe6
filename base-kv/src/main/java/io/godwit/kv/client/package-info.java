/** The client of ranges for other modules: requests name keys, never ranges. */
@NullMarked
package io.godwit.kv.client;

import org.jspecify.annotations.NullMarked;
