/** The connections' side: turns calls of frontends into commands, and passes deliveries to frontends. */
@NullMarked
package io.godwit.inbox.edge;

import org.jspecify.annotations.NullMarked;
