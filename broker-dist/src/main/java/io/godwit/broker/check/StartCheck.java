package io.godwit.broker.check;

import io.godwit.broker.effective.ApiSettings;
import io.godwit.broker.effective.AuthProviders;
import io.godwit.broker.effective.BalanceSettings;
import io.godwit.broker.effective.BrokerConfig;
import io.godwit.broker.effective.Mistakes;
import io.godwit.broker.effective.OtlpSettings;
import io.godwit.broker.effective.PluginLoader;
import io.godwit.broker.effective.RedirectSettings;
import io.godwit.broker.effective.SubBrokerSettings;
import io.godwit.broker.effective.TenantsOf;
import io.godwit.broker.effective.UsedPlugins;
import io.godwit.broker.plugin.PluginHost;
import io.godwit.common.pem.PemFile;
import java.io.IOException;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;

/**
 * Checks whether a broker could be started with a configuration, as far as this is possible beside a running one: reads
 * the files and plugins that the configuration names, but opens neither data nor ports. {@link ConfigLoader} checks the
 * configuration file itself and its certificates.
 */
public final class StartCheck {
    private StartCheck() {}

    /**
     * Blocks.
     *
     * @return one line per error, each naming the key or the file
     */
    public static List<String> errors(BrokerConfig config, Path pluginDirectory) {
        Mistakes mistakes = new Mistakes();
        try (PluginHost host = PluginHost.forCheck(config.plugins(), config.directory());
                PluginLoader plugins = PluginLoader.open(pluginDirectory, host)) {
            mistakes.check(() -> BalanceSettings.check(config, plugins));
            boolean looksForAll = mistakes.isEmpty(); // the check of balancers ends with the first mistake
            mistakes.check(() -> AuthProviders.check(config, plugins));
            mistakes.check(() -> UsedPlugins.find(config, plugins));
            mistakes.check(() -> RedirectSettings.check(config, plugins));
            mistakes.check(() -> SubBrokerSettings.check(config, plugins));
            mistakes.check(() -> TenantsOf.provider(config, plugins));
            mistakes.check(() -> TenantsOf.throttlers(config, plugins));
            if (looksForAll) {
                mistakes.check(plugins::checkSections);
            }
            mistakes.check(() -> ApiSettings.check(config));
            mistakes.check(() -> OtlpSettings.check(config));
            mistakes.check(() -> TenantsOf.check(config));
            certificateErrors(config, Instant.now()).forEach(mistakes::add);
        } catch (IOException e) {
            mistakes.add(e);
        }
        return mistakes.lines();
    }

    /**
     * Server certificates that have expired or are not valid yet. A broker starts with them all the same: some clients
     * do not check, and the other listeners need none.
     */
    static List<String> certificateErrors(BrokerConfig config, Instant now) {
        Mistakes mistakes = new Mistakes();
        config.listeners().stream()
                .filter(section -> section.isEnabled() && section.kind().hasTls())
                .forEach(section -> mistakes.check(() -> {
                    Path file = config.file(section.ssl().certFile());
                    if (file == null) {
                        return; // reported already
                    }
                    X509Certificate own = PemFile.read(file).certificates().get(0);
                    String key = section.path() + ".sslConfig.certFile: " + file;
                    if (now.isAfter(own.getNotAfter().toInstant())) {
                        mistakes.add(
                                key + " has expired on " + own.getNotAfter().toInstant());
                    } else if (now.isBefore(own.getNotBefore().toInstant())) {
                        mistakes.add(key + " is not valid before "
                                + own.getNotBefore().toInstant());
                    }
                }));
        return mistakes.lines();
    }
}
