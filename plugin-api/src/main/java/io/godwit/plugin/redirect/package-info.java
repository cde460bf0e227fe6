/** Decides which cluster node serves a connecting client: the interfaces of a client balancing plugin. */
@NullMarked
package io.godwit.plugin.redirect;

import org.jspecify.annotations.NullMarked;
