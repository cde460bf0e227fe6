package io.godwit.broker.start;

import io.godwit.broker.admin.rpc.NodeFacts;
import io.godwit.broker.config.Effective;
import io.godwit.broker.effective.BrokerConfig;
import io.godwit.broker.effective.ConfigReload;
import io.godwit.broker.effective.PluginLoader;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/** The facts about configuration and plugins that a {@code Broker} shows operators. Thread-safe. */
public final class BrokerFacts implements NodeFacts {
    private static final String MASK = "********";
    /**
     * Keys whose name suggests a secret value, as opposed to a number or a file name. No shipped key matches: those are
     * marked as secret.
     */
    private static final Pattern SECRET = Pattern.compile("(?i).*(password|passphrase|secret|token)");

    private final PluginLoader plugins;
    /** Volatile: replaced by the thread that reconfigures, read by any. */
    private volatile List<Effective> inForce;

    public BrokerFacts(BrokerConfig started, PluginLoader plugins) {
        this.inForce = List.copyOf(started.effective());
        this.plugins = plugins;
    }

    /** Applies a change as {@link ConfigReload} does. */
    public void reconfigured(BrokerConfig next, boolean withListeners) {
        inForce = ConfigReload.inForce(inForce, next, withListeners);
    }

    @Override
    public List<Setting> settings() {
        return inForce.stream()
                .map(each -> new Setting(each.path(), shown(each), each.origin(), each.reload()))
                .toList();
    }

    private static String shown(Effective key) {
        return SECRET.matcher(key.path().toLowerCase(Locale.ROOT)).matches()
                        && !key.text().isEmpty()
                ? MASK
                : key.shown();
    }

    @Override
    public List<Plugin> plugins() {
        return plugins.loaded();
    }
}
