/** What other modules use of the dist-worker: publish, subscribe, and the deliverers it hands messages to. */
@NullMarked
package io.godwit.dist.client;

import org.jspecify.annotations.NullMarked;
