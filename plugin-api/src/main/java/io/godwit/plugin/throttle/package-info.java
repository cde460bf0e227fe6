/** Limits on how much each tenant may use, set by plugins. */
@NullMarked
package io.godwit.plugin.throttle;

import org.jspecify.annotations.NullMarked;
