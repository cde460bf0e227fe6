/**
 * The effective configuration, and what each part of the broker gets from it.
 *
 * <pre>
 * BrokerConfig       every key with its value, and the listeners
 * ConfigReload       applies changes of the file while the broker runs
 * BrokerSettings, (X)Settings, TenantsOf
 *                    make the configuration of a part; some open a plugin for it
 * AuthProviders      opens the providers that check clients
 * PluginLoader       finds plugins in a directory
 * UsedPlugins        those that the configuration names
 * NamedPlugins       the keys of the configuration that name plugins
 * Mistakes           what several checks find
 * </pre>
 */
@NullMarked
package io.godwit.broker.effective;

import org.jspecify.annotations.NullMarked;
