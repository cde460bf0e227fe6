/** Waiting until every other member has confirmed something, and the exclusion of members that do not. */
@NullMarked
package io.godwit.dist.peer.wait;

import org.jspecify.annotations.NullMarked;
