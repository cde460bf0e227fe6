/**
 * RPC between nodes, and from programs of operators.
 *
 * <pre>
 * RpcServer        one gRPC server for Raft and the services of the node
 * RpcChannels      one gRPC channel per member
 * LocalRpcServer   services for programs of the same machine that can read its LocalAccess file
 * RpcConnection    what such a program uses
 * </pre>
 */
@NullMarked
package io.godwit.cluster.rpc;

import org.jspecify.annotations.NullMarked;
