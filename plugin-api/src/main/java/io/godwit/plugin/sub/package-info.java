/** Brings messages to another system: the interfaces of such a plugin. */
@NullMarked
package io.godwit.plugin.sub;

import org.jspecify.annotations.NullMarked;
