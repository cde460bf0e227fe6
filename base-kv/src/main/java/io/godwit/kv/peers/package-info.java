/** Relations between a node and the others: reports, replicas that come and go, requests to and from them. */
@NullMarked
package io.godwit.kv.peers;

import org.jspecify.annotations.NullMarked;
