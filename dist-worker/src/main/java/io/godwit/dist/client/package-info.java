/**
 * What other modules use of the dist-worker: publish, subscribe, the deliverers it hands messages to, and the pace of
 * log lines.
 */
@NullMarked
package io.godwit.dist.client;

import org.jspecify.annotations.NullMarked;
