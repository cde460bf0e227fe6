/**
 * Decides who may connect to a node: processes with a certificate of the cluster ({@code ClusterTls}), or without TLS
 * processes of the node's user on the same machine ({@code LocalPeers}).
 */
@NullMarked
package io.godwit.cluster.trust;

import org.jspecify.annotations.NullMarked;
