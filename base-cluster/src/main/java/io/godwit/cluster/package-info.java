/** Cluster membership and the gRPC channels between members. */
@NullMarked
package io.godwit.cluster;

import org.jspecify.annotations.NullMarked;
