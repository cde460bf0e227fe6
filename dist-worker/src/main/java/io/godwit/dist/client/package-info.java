/**
 * The interface of the dist-worker for other modules: publish, subscribe, the deliverers that it calls, and the pace of
 * log lines.
 */
@NullMarked
package io.godwit.dist.client;

import org.jspecify.annotations.NullMarked;
