/** What the nodes of a cluster agree on beside their data: how many voters are wanted, and who is forgotten. */
@NullMarked
package io.godwit.kv.facts;

import org.jspecify.annotations.NullMarked;
