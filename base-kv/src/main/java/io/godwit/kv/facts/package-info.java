/** What the nodes of a cluster agree on besides their data: the number of voters wanted, and the forgotten nodes. */
@NullMarked
package io.godwit.kv.facts;

import org.jspecify.annotations.NullMarked;
