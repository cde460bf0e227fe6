/** What happens on all nodes, for operators who watch it. */
@NullMarked
package io.godwit.broker.watch;

import org.jspecify.annotations.NullMarked;
