/** Shared groups: which member of a group gets a message. */
@NullMarked
package io.godwit.dist.index.share;

import org.jspecify.annotations.NullMarked;
