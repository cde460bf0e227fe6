/** What operators watch, and the entries that they see; also as messages between nodes. */
@NullMarked
package io.godwit.broker.watch.question;

import org.jspecify.annotations.NullMarked;
