/** How a node enters its cluster, which nodes are in it, and what is stored about them. */
@NullMarked
package io.godwit.kv.member;

import org.jspecify.annotations.NullMarked;
