/** The side of the connections: the calls of frontends become commands, and what leaders deliver reaches them. */
@NullMarked
package io.godwit.inbox.edge;

import org.jspecify.annotations.NullMarked;
