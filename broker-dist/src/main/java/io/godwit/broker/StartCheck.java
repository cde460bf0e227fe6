package io.godwit.broker;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Whether a broker could be started with a configuration, as far as that can be said beside one that runs: what operators write is read (plugins,
 * settings of balancers, users and rules), and nothing is opened, neither data nor ports. The configuration file itself, with the certificates it names, is
 * {@link ConfigLoader}'s.
 */
final class StartCheck {
    private StartCheck() {}

    /** One line per error, each naming the key or the file. Blocks. */
    static List<String> errors(BrokerConfig config, Path pluginDirectory) {
        List<String> errors = new ArrayList<>();
        try (PluginLoader plugins = PluginLoader.open(pluginDirectory)) {
            add(errors, () -> BalanceSettings.check(config, plugins));
            add(errors, () -> AuthProviders.check(config, plugins));
        } catch (IOException e) {
            errors.addAll(lines(e));
        }
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
