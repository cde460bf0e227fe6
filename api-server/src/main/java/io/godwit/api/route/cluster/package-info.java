/** Handlers of nodes, stores, settings, log levels and health. */
@NullMarked
package io.godwit.api.route.cluster;

import org.jspecify.annotations.NullMarked;
