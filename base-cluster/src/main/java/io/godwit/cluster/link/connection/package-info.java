/** One connection between two processes: the handshake, then the messages that arrived and are not handled yet. */
@NullMarked
package io.godwit.cluster.link.connection;

import org.jspecify.annotations.NullMarked;
