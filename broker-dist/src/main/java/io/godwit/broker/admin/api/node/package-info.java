/** Commands about nodes: health, counts, configuration, plugins, log levels, and replacing a node. */
@NullMarked
package io.godwit.broker.admin.api.node;

import org.jspecify.annotations.NullMarked;
