package io.godwit.broker;

import io.godwit.broker.plugin.PluginHost;
import io.godwit.mqtt.transport.tls.PemFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * Whether a broker could be started with a configuration, as far as that can be said beside one that runs: what
 * operators write is read (plugins, settings of balancers, users and rules), and nothing is opened, neither data nor
 * ports. The configuration file itself, with the certificates it names, is {@link ConfigLoader}'s.
 */
final class StartCheck {
    private StartCheck() {}

    /** One line per error, each naming the key or the file. Blocks. */
    static List<String> errors(BrokerConfig config, Path pluginDirectory) {
        List<String> errors = new ArrayList<>();
        try (PluginHost host = PluginHost.forCheck(config.plugins(), config.directory());
                PluginLoader plugins = PluginLoader.open(pluginDirectory, host)) {
            add(errors, () -> BalanceSettings.check(config, plugins));
            add(errors, () -> AuthProviders.check(config, plugins));
            add(errors, () -> UsedPlugins.find(config, plugins));
            add(errors, () -> RedirectSettings.check(config, plugins));
            add(errors, () -> SubBrokerSettings.check(config, plugins));
            add(errors, () -> TenantsOf.provider(config, plugins));
            if (errors.isEmpty()) { // else some plugins may not have been looked for
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
     * Server certificates whose time is over, or has not come. A broker that starts serves with them all the same: some
     * clients do not look, and the other listeners need none.
     */
    static List<String> certificateErrors(BrokerConfig config, Instant now) {
        List<String> errors = new ArrayList<>();
        config.listeners().stream()
                .filter(section -> section.isEnabled() && section.kind().hasTls())
                .forEach(section -> add(errors, () -> {
                    Path file = config.file(section.ssl().certFile());
                    if (file == null) {
                        return; // told already
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
