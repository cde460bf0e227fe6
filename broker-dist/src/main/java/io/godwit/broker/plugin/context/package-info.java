/**
 * What a plugin sees of the broker ({@link HostContext}): its log, its meters, its threads; and what the broker notes
 * of the plugin's calls and failures.
 */
@NullMarked
package io.godwit.broker.plugin.context;

import org.jspecify.annotations.NullMarked;
