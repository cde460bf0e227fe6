/** Decides who may connect, publish and subscribe: the interfaces of an authentication plugin. */
@NullMarked
package io.godwit.plugin.auth;

import org.jspecify.annotations.NullMarked;
