/**
 * The members of the cluster, and the channels to them.
 *
 * <pre>
 * Cluster             makes the other parts from a ClusterConfig; the broker starts and stops it
 * ClusterMembership   the current members; tells ClusterListeners of changes on one thread
 *   Roster              decides who is a member, from views and announcements; no thread, no network
 *   MemberMessage       the messages between members, as bytes
 *   MembershipStack     the JGroups protocols and their settings; SeedDiscovery asks the addresses of SeedResolver
 *   MemberSockets       their sockets; with TLS, ListenSocket lets only certified nodes in
 * RpcServer           one gRPC server for Raft and the services of the node
 * RpcChannels         one gRPC channel per member
 * LocalRpcServer      services for programs of the same machine that can read its LocalAccess file; these programs use
 *                     RpcConnection
 * ClusterTls          mutual TLS for membership and RPC, from one set of files
 * </pre>
 *
 * <p>JGroups types do not leave this package. gRPC types do: a service is offered as a {@code ServerServiceDefinition}.
 */
@NullMarked
package io.godwit.cluster;

import org.jspecify.annotations.NullMarked;
