package io.godwit.broker.effective;

import io.godwit.broker.auth.AllowAll;
import io.godwit.broker.auth.AuthFileReports;
import io.godwit.broker.auth.FileAuth;
import io.godwit.broker.auth.chain.AuthChain;
import io.godwit.plugin.auth.AuthProvider;
import io.godwit.plugin.auth.AuthProviderFactory;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * Opens the auth providers that the configuration names: built-in ones and those of plugins. Several are asked one
 * after the other ({@link AuthChain}).
 */
public final class AuthProviders {
    public static final String ALLOW_ALL = "allow-all";
    public static final String FILE = "file";
    private static final String LIST_KEY = "authConfig.providers";
    /** A login may be passed to every provider. */
    private static final int MAX_PROVIDERS = 16;

    private AuthProviders() {}

    /** The names of the configured providers, in the order in which they are asked; usually one or none. */
    static List<String> names(BrokerConfig config) {
        String single = config.auth().provider();
        return single.isEmpty() ? config.auth().providers() : List.of(single);
    }

    /** Whether the configuration names a provider, be it {@link #ALLOW_ALL}. */
    static boolean isConfigured(BrokerConfig config) {
        return !names(config).isEmpty();
    }

    /** Whether the configuration explicitly lets in everybody. */
    static boolean isAllowAll(BrokerConfig config) {
        return names(config).contains(ALLOW_ALL);
    }

    /** Whether a provider checks who clients are; it may still be configured to let in anonymous clients. */
    static boolean asksWhoClientsAre(BrokerConfig config) {
        return isConfigured(config) && !isAllowAll(config);
    }

    /** Whether users and rules come from files. */
    public static boolean isFile(BrokerConfig config) {
        return names(config).contains(FILE);
    }

    /**
     * Finds names that exclude each other, and a file of rules that would silently be ignored because only the provider
     * "file" reads it.
     *
     * @return one line per error, naming its key
     */
    public static List<String> errors(BrokerConfig config) {
        List<String> errors = new ArrayList<>();
        List<String> listed = config.auth().providers();
        if (!listed.isEmpty() && !config.auth().provider().isEmpty()) {
            errors.add(LIST_KEY + ": authConfig.provider is set too: move its name into this list");
        }
        if (Set.copyOf(listed).size() < listed.size()) {
            errors.add(LIST_KEY + ": names a provider twice: " + listed);
        }
        if (listed.size() > MAX_PROVIDERS) {
            errors.add(LIST_KEY + ": names " + listed.size() + " providers, at most " + MAX_PROVIDERS + " are asked");
        }
        if (listed.size() > 1 && listed.contains(ALLOW_ALL)) {
            errors.add(LIST_KEY + ": " + ALLOW_ALL + " lets everybody in, so it stands alone: " + listed);
        }
        if (!config.auth().aclFile().isEmpty() && !isFile(config)) {
            List<String> names = names(config);
            errors.add("authConfig.aclFile: has no effect while authConfig.provider is "
                    + (names.isEmpty() ? "empty" : String.join(", ", names)) + ": set that to " + FILE
                    + ", or leave the rules out");
        }
        return errors;
    }

    /**
     * Opens the configured providers. Blocks, since it reads files.
     *
     * @throws IOException naming the provider or file and what is wrong with it
     */
    public static AuthProvider open(BrokerConfig config, PluginLoader plugins, AuthFileReports reports)
            throws IOException {
        List<String> names = names(config);
        if (names.isEmpty() || names.equals(List.of(ALLOW_ALL))) {
            return new AllowAll();
        }
        List<AuthChain.Named> opened = new ArrayList<>();
        try {
            for (String name : names) {
                boolean isLast = opened.size() + 1 == names.size();
                opened.add(new AuthChain.Named(
                        name,
                        name.equals(FILE)
                                ? FileAuth.open(fileAuth(config, !isLast), reports)
                                : create(find(name, config, plugins))));
            }
        } catch (IOException | RuntimeException e) {
            opened.forEach(each -> each.provider().close());
            throw e;
        }
        return opened.size() == 1 ? opened.get(0).provider() : new AuthChain(opened);
    }

    /** The provider of users and rules from files, if there is one. */
    public static Optional<FileAuth> files(AuthProvider opened) {
        List<AuthProvider> all = opened instanceof AuthChain chain ? chain.providers() : List.of(opened);
        return all.stream()
                .filter(FileAuth.class::isInstance)
                .map(FileAuth.class::cast)
                .findFirst();
    }

    /**
     * Finds the providers and reads the files of {@link #open}, but creates no provider of a plugin. Blocks.
     *
     * @throws IOException naming each provider or file with what is wrong with it
     */
    public static void check(BrokerConfig config, PluginLoader plugins) throws IOException {
        Mistakes mistakes = new Mistakes();
        for (String name : names(config)) {
            if (name.equals(FILE)) {
                mistakes.check(() -> FileAuth.check(fileAuth(config, false)));
            } else if (!name.equals(ALLOW_ALL)) {
                mistakes.check(() -> find(name, config, plugins));
            }
        }
        mistakes.refuse();
    }

    private static AuthProviderFactory find(String name, BrokerConfig config, PluginLoader plugins) throws IOException {
        return plugins.find(
                config.auth().provider().isEmpty() ? LIST_KEY : "authConfig.provider",
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

    private static FileAuth.Settings fileAuth(BrokerConfig config, boolean leavesUnknown) {
        int threads = config.auth().passwordThreads();
        return new FileAuth.Settings(
                Objects.requireNonNull(config.file(config.auth().file())),
                config.file(config.auth().aclFile()),
                config.auth().allowAnonymous(),
                threads > 0 ? threads : Math.max(1, Runtime.getRuntime().availableProcessors() / 2),
                config.auth().passwordQueue(),
                Duration.ofSeconds(config.auth().passwordCacheSeconds()),
                leavesUnknown);
    }
}
