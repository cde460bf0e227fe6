/**
 * Watches of events and messages on all nodes, for operators.
 *
 * <pre>
 * ClusterWatch   watches all nodes for operators of this one, and this node for those of others (ServedWatch)
 *   NodesFeed      one watch: reads the entries of this node (OwnSource) and of others (PeerSource)
 *   OwnWatches     the bounded watches of this node
 * WatchThread    the thread that all of them are confined to
 * </pre>
 */
@NullMarked
package io.godwit.broker.watch;

import org.jspecify.annotations.NullMarked;
