/** How much each tenant may use, as plugins say. */
@NullMarked
package io.godwit.plugin.throttle;

import org.jspecify.annotations.NullMarked;
