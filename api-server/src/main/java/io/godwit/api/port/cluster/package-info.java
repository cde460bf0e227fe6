/** The nodes of the cluster, their stores, ranges, settings and log levels. */
@NullMarked
package io.godwit.api.port.cluster;

import org.jspecify.annotations.NullMarked;
