/**
 * The members of the cluster, and the channels to them. {@link Cluster} makes the other parts from a configuration; the
 * broker starts and stops it.
 *
 * <pre>
 * member   who is a member, and the membership's own connections (JGroups)
 * rpc      the gRPC server of a node, its channels to the members, and what an operator's tool uses
 * link     reliable, ordered lanes to the other nodes, over the channels
 * trust    who may connect: TLS between nodes, and users of the same machine
 * thread   the threads of all parts
 * config   the settings and addresses
 * </pre>
 *
 * <p>gRPC types leave this package: a service is offered as a {@code ServerServiceDefinition}.
 */
@NullMarked
package io.godwit.cluster;

import org.jspecify.annotations.NullMarked;
