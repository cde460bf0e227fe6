/** Publishing, viewing and clearing of messages by operators, with the store clients that the frontends use. */
@NullMarked
package io.godwit.broker.messages;

import org.jspecify.annotations.NullMarked;
