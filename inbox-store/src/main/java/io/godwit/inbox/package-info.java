/** The inbox store: its entry point and the interfaces that the broker implements for it. */
@NullMarked
package io.godwit.inbox;

import org.jspecify.annotations.NullMarked;
