/**
 * Who is in the cluster, and the channels to them.
 *
 * <pre>
 * Cluster             wires the rest out of a ClusterConfig; what the broker starts and stops
 * ClusterMembership   the members and their coming and going, told to ClusterListeners on one thread
 *   Roster              decides who is a member out of views and announcements; pure, no thread, no network
 *   MemberMessage       what members tell each other, as bytes
 *   MembershipStack     the JGroups protocols and their settings; SeedDiscovery asks whom SeedResolver found
 *   MemberSockets       their sockets; with TLS nobody gets past ListenSocket without a certificate
 * RpcServer           one gRPC server for Raft and the services of the node
 * RpcChannels         one gRPC channel per member
 * LocalRpcServer      services for programs of the same machine, behind the LocalAccess in a file; RpcConnection is
 *                     their side
 * ClusterTls          mutual TLS of both, from one set of files
 * </pre>
 *
 * <p>No type of JGroups leaves this package. gRPC's do: whoever offers a service brings its
 * {@code ServerServiceDefinition}.
 */
@NullMarked
package io.godwit.cluster;

import org.jspecify.annotations.NullMarked;
