/** The inbox store: its entry point and what it needs of its surroundings. */
@NullMarked
package io.godwit.inbox;

import org.jspecify.annotations.NullMarked;
