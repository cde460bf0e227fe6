/**
 * The guards between the broker and a plugin's code, for each kind of plugin: they limit the time and number of calls,
 * and turn failures into answers (docs/adr/0084).
 */
@NullMarked
package io.godwit.broker.plugin.guard;

import org.jspecify.annotations.NullMarked;
