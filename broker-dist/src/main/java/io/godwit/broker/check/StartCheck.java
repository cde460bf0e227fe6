package io.godwit.broker.check;

import io.godwit.broker.effective.ApiSettings;
import io.godwit.broker.effective.AuthProviders;
import io.godwit.broker.effective.BalanceSettings;
import io.godwit.broker.effective.BrokerConfig;
import io.godwit.broker.effective.OtlpSettings;
import io.godwit.broker.effective.PluginLoader;
import io.godwit.broker.effective.RedirectSettings;
import io.godwit.broker.effective.SubBrokerSettings;
import io.godwit.broker.effective.TenantsOf;
import io.godwit.broker.effective.UsedPlugins;
import io.godwit.broker.plugin.PluginHost;
import io.godwit.mqtt.transport.tls.PemFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
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
        List<String> errors = new ArrayList<>();
        try (PluginHost host = PluginHost.forCheck(config.plugins(), config.directory());
                PluginLoader plugins = PluginLoader.open(pluginDirectory, host)) {
            add(errors, () -> BalanceSettings.check(config, plugins));
            add(errors, () -> AuthProviders.check(config, plugins));
            add(errors, () -> UsedPlugins.find(config, plugins));
            add(errors, () -> RedirectSettings.check(config, plugins));
            add(errors, () -> SubBrokerSettings.check(config, plugins));
            add(errors, () -> TenantsOf.provider(config, plugins));
            add(errors, () -> TenantsOf.throttlers(config, plugins));
            if (errors.isEmpty()) { // otherwise some plugins may not have been searched
                add(errors, host::checkSections);
            }
            add(errors, () -> ApiSettings.check(config));
            add(errors, () -> OtlpSettings.check(config));
            add(errors, () -> TenantsOf.check(config));
            errors.addAll(certificateErrors(config, Instant.now()));
        } catch (IOException e) {
            errors.addAll(lines(e));
        }
        return errors;
    }

    /**
     * Server certificates that have expired or are not valid yet. A broker starts with them all the same: some clients
     * do not check, and the other listeners need none.
     */
    static List<String> certificateErrors(BrokerConfig config, Instant now) {
        List<String> errors = new ArrayList<>();
        config.listeners().stream()
                .filter(section -> section.isEnabled() && section.kind().hasTls())
                .forEach(section -> add(errors, () -> {
                    Path file = config.file(section.ssl().certFile());
                    if (file == null) {
                        return; // reported already
                    }
                    X509Certificate own = PemFiles.certificates(file).get(0);
                    String key = section.path() + ".sslConfig.certFile: " + file;
                    if (now.isAfter(own.getNotAfter().toInstant())) {
                        errors.add(key + " has expired on " + own.getNotAfter().toInstant());
                    } else if (now.isBefore(own.getNotBefore().toInstant())) {
                        errors.add(key + " is not valid before "
                                + own.getNotBefore().toInstant());
                    }
                }));
        return errors;
    }

    private static void add(List<String> errors, Check check) {
        try {
            check.run();
        } catch (IOException e) {
            errors.addAll(lines(e));
        }
    }

    private static List<String> lines(IOException failure) {
        return String.valueOf(failure.getMessage()).lines().toList();
    }

    private interface Check {
        void run() throws IOException;
    }
}
