/** Messages to elsewhere: what a plugin implements that brings them to another system. */
@NullMarked
package io.godwit.plugin.sub;

import org.jspecify.annotations.NullMarked;
