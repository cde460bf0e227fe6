/** The context that the broker gives a plugin, and the life cycle. A plugin need not use either. */
@NullMarked
package io.godwit.plugin.context;

import org.jspecify.annotations.NullMarked;
