package io.godwit.broker.auth.jwt;

import io.godwit.plugin.auth.AuthProvider;
import io.godwit.plugin.auth.AuthProviderFactory;
import io.godwit.plugin.auth.ConnectResult;
import io.godwit.plugin.context.Meters;
import io.godwit.plugin.context.Plugin;
import io.godwit.plugin.context.PluginContext;
import io.godwit.plugin.context.PluginHealth;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Creates the auth provider {@code jwt}. Named in META-INF/services. */
public final class JwtAuthFactory implements AuthProviderFactory, Plugin {
    private @Nullable PluginContext context;
    private @Nullable JwtSettings settings;
    private @Nullable KeySource keys;

    @Override
    public String name() {
        return "jwt";
    }

    @Override
    public void create(PluginContext given) {
        JwtSettings read = JwtSettings.of(given.settings());
        context = given;
        settings = read;
        keys = new KeySource(read, given.logger(), new Fetches(given));
    }

    @Override
    public void start() throws IOException, InterruptedException {
        if (keys != null) {
            keys.start();
        }
    }

    /** Signatures are checked on workers; the rest is look-ups. */
    @Override
    public boolean isNonBlocking() {
        return true;
    }

    @Override
    public AuthProvider create() {
        PluginContext own = context;
        JwtSettings read = settings;
        KeySource source = keys;
        if (own == null || read == null || source == null) {
            throw new IllegalStateException("jwt has no context");
        }
        Meters.Counter accepted = own.meters().counter("tokens", "tokens checked", "result", "accepted");
        Meters.Counter refused = own.meters().counter("tokens", "tokens checked", "result", "refused");
        return new JwtAuth(
                read,
                source,
                own.executor(),
                own.clock(),
                System::nanoTime,
                result -> (result instanceof ConnectResult.Accepted ? accepted : refused).add(1));
    }

    @Override
    public PluginHealth health() {
        String problem = keys == null ? "" : keys.problem();
        return problem.isEmpty() ? PluginHealth.UP : PluginHealth.down(problem);
    }

    @Override
    public void stop() {
        if (keys != null) {
            keys.close();
        }
    }

    /** Counts fetches of keys, and logs the first failure and the recovery. */
    private static final class Fetches implements JwksUrl.Reports {
        private final System.Logger logger;
        private final Meters.Counter fetched;
        private final Meters.Counter failed;
        private volatile boolean isFailing;
        private volatile int skipped;

        Fetches(PluginContext context) {
            logger = context.logger();
            fetched = context.meters().counter("key_fetches", "fetches of keys", "result", "fetched");
            failed = context.meters().counter("key_fetches", "fetches of keys", "result", "failed");
        }

        @Override
        public void fetched(KeySet keys) {
            fetched.add(1);
            if (isFailing) {
                isFailing = false;
                logger.log(System.Logger.Level.INFO, "keys are fetched again");
            }
            if (skipped != keys.skipped()) {
                skipped = keys.skipped();
                logger.log(System.Logger.Level.INFO, "keys of the JWKS that are not used count=" + keys.skipped());
            }
        }

        @Override
        public void failed(String detail) {
            failed.add(1);
            if (!isFailing) {
                isFailing = true;
                logger.log(System.Logger.Level.WARNING, detail);
            }
        }
    }
}
