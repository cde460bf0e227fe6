/** Watches of events and messages on all nodes, for operators. */
@NullMarked
package io.godwit.broker.watch;

import org.jspecify.annotations.NullMarked;
