/** Who may connect, publish and subscribe: what an authentication plugin implements. */
@NullMarked
package io.godwit.plugin.auth;

import org.jspecify.annotations.NullMarked;
