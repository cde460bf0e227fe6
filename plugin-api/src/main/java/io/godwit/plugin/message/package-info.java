/** Application messages as plugins, stores and frontends see them. */
@NullMarked
package io.godwit.plugin.message;

import org.jspecify.annotations.NullMarked;
