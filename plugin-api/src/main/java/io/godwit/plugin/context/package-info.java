/** What a plugin is given by the broker, and its life cycle. Using it is up to the plugin. */
@NullMarked
package io.godwit.plugin.context;

import org.jspecify.annotations.NullMarked;
