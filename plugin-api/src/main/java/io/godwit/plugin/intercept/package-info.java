/** Plugins that change messages, or drop them, on their way into the broker and out of it. */
@NullMarked
package io.godwit.plugin.intercept;

import org.jspecify.annotations.NullMarked;
