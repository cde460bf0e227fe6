/** How other modules reach ranges: by key, never by range. */
@NullMarked
package io.godwit.kv.client;

import org.jspecify.annotations.NullMarked;
