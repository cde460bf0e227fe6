package io.godwit.broker;

import io.godwit.broker.admin.NodeFacts;
import io.godwit.broker.config.Effective;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/** What a {@link Broker} tells operators of its configuration and its plugins. Thread-safe. */
final class BrokerFacts implements NodeFacts {
    private static final String MASK = "********";
    /**
     * Keys whose value is a secret by their name, not a number or the name of a file. No key that ships is one: those
     * say of themselves that they are.
     */
    private static final Pattern SECRET = Pattern.compile("(?i).*(password|passphrase|secret|token)");

    private final PluginLoader plugins;
    /** Volatile: replaced by whoever reconfigures. */
    private volatile List<Effective> inForce;

    BrokerFacts(BrokerConfig started, PluginLoader plugins) {
        this.inForce = List.copyOf(started.effective());
        this.plugins = plugins;
    }

    /** As {@link ConfigReload} has decided. */
    void reconfigured(BrokerConfig next, boolean withListeners) {
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
