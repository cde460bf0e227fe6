/** Messages that operators publish, look at and clear, through the same clients of the stores as the frontends have. */
@NullMarked
package io.godwit.broker.messages;

import org.jspecify.annotations.NullMarked;
