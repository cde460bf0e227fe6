/** Messages to and from the live sessions of other nodes, and messages that wait for a full link. */
@NullMarked
package io.godwit.dist.peer.message;

import org.jspecify.annotations.NullMarked;
