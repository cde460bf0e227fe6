/** Questions between nodes about the members of shared groups that were chosen for a repeated message. */
@NullMarked
package io.godwit.dist.peer.choice;

import org.jspecify.annotations.NullMarked;
