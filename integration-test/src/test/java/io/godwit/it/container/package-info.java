/**
 * Nodes in containers, where a Docker engine answers: the image made of this machine, networks, and the packaged broker
 * as a cluster.
 */
@NullMarked
package io.godwit.it.container;

import org.jspecify.annotations.NullMarked;
