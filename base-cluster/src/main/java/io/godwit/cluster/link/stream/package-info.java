/** Streams of messages to other nodes over gRPC, and the threads that the links of a node use. */
@NullMarked
package io.godwit.cluster.link.stream;

import org.jspecify.annotations.NullMarked;
