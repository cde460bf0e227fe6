/** The settings of a node's membership in a cluster. */
@NullMarked
package io.godwit.cluster.config;

import org.jspecify.annotations.NullMarked;
