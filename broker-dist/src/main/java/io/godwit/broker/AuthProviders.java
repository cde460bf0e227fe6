package io.godwit.broker;

import io.godwit.broker.auth.AllowAll;
import io.godwit.broker.auth.AuthFileReports;
import io.godwit.broker.auth.FileAuth;
import io.godwit.plugin.auth.AuthProvider;
import io.godwit.plugin.auth.AuthProviderFactory;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

/** Opens the auth provider that the configuration names: a built-in one, or one that a plugin has. */
final class AuthProviders {
    static final String ALLOW_ALL = "allow-all";
    static final String FILE = "file";

    private AuthProviders() {}

    /** Whether clients are asked who they are, or it was said outright that they are not. */
    static boolean isConfigured(BrokerConfig config) {
        return !config.auth().provider().isEmpty();
    }

    /** Whether there is a provider that lets in only whom it knows, as far as it was not told otherwise. */
    static boolean asksWhoClientsAre(BrokerConfig config) {
        return isConfigured(config) && !config.auth().provider().equals(ALLOW_ALL);
    }

    /** Whether users and rules are those of files. */
    static boolean isFile(BrokerConfig config) {
        return config.auth().provider().equals(FILE);
    }

    /**
     * Rules that would be ignored in silence: only the provider "file" reads them.
     *
     * @return one line per error, naming its key
     */
    static List<String> errors(BrokerConfig config) {
        String name = config.auth().provider();
        if (config.auth().aclFile().isEmpty() || name.equals(FILE)) {
            return List.of();
        }
        return List.of("authConfig.aclFile" + ": has no effect while " + "authConfig.provider" + " is "
                + (name.isEmpty() ? "empty" : name) + ": set that to " + FILE + ", or leave the rules out");
    }

    /**
     * Blocks, to read files.
     *
     * @throws IOException naming what is wrong
     */
    static AuthProvider open(BrokerConfig config, PluginLoader plugins, AuthFileReports reports) throws IOException {
        String name = config.auth().provider();
        if (name.isEmpty() || name.equals(ALLOW_ALL)) {
            return new AllowAll();
        }
        if (name.equals(FILE)) {
            return FileAuth.open(fileAuth(config), reports);
        }
        return create(find(name, plugins));
    }

    /**
     * Finds and reads what {@link #open} would, and opens nothing: a provider of a plugin is not made. Blocks.
     *
     * @throws IOException naming what is wrong
     */
    static void check(BrokerConfig config, PluginLoader plugins) throws IOException {
        String name = config.auth().provider();
        if (name.equals(FILE)) {
            FileAuth.check(fileAuth(config));
        } else if (!name.isEmpty() && !name.equals(ALLOW_ALL)) {
            find(name, plugins);
        }
    }

    private static AuthProviderFactory find(String name, PluginLoader plugins) throws IOException {
        return plugins.find(
                "authConfig.provider",
                name,
                AuthProviderFactory.class,
                AuthProviderFactory::name,
                List.of(ALLOW_ALL, FILE));
    }

    @SuppressWarnings("CatchingUnchecked") // outermost frame of the plugin
    private static AuthProvider create(AuthProviderFactory factory) throws IOException {
        try {
            return factory.create();
        } catch (Exception | LinkageError e) {
            throw new IOException("the auth provider " + factory.name() + " does not start: " + e, e);
        }
    }

    private static FileAuth.Settings fileAuth(BrokerConfig config) {
        int threads = config.auth().passwordThreads();
        return new FileAuth.Settings(
                Objects.requireNonNull(config.file(config.auth().file())),
                config.file(config.auth().aclFile()),
                config.auth().allowAnonymous(),
                threads > 0 ? threads : Math.max(1, Runtime.getRuntime().availableProcessors() / 2),
                config.auth().passwordQueue(),
                Duration.ofSeconds(config.auth().passwordCacheSeconds()));
    }
}
