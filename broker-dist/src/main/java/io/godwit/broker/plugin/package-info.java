/**
 * Plugins while the broker runs (docs/adr/0084).
 *
 * <pre>
 * PluginHost         starts and stops plugins; has the guards of each
 * RunningCalls, ExitBlame, ExitScan
 *                    which plugin holds up the broker, or has ended the process
 * guard              the guards between the broker and the code of plugins
 * instance           one plugin: its settings, limits and state
 * context            what a plugin sees of the broker
 * </pre>
 */
@NullMarked
package io.godwit.broker.plugin;

import org.jspecify.annotations.NullMarked;
