/** The threads of the cluster's parts, and the event loops that the RPC server and all channels of a node share. */
@NullMarked
package io.godwit.cluster.thread;

import org.jspecify.annotations.NullMarked;
