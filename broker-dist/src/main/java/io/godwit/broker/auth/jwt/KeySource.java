package io.godwit.broker.auth.jwt;

import io.godwit.broker.auth.remote.BoundedHttp;
import io.godwit.broker.auth.remote.ServiceUrl;
import java.io.IOException;
import java.net.URI;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The keys of files and of a URL together, and the thread that refreshes both. Keys are available from {@link #start}
 * on; any thread may call {@link #now} and {@link #newer} even before.
 */
final class KeySource implements JwtAuth.Keys, AutoCloseable {
    private static final long LOOK_SECONDS = 1;

    private final JwtSettings settings;
    private final KeyFiles files;
    private final System.Logger logger;
    private final JwksUrl.Reports reports;

    // volatile: written at the start and by the timer, read by any thread
    private volatile KeySet ofFiles = KeySet.NONE;
    private volatile String problemOfFiles = "";
    private volatile @Nullable JwksUrl url;

    private @Nullable BoundedHttp http;
    private @Nullable ScheduledExecutorService timer;

    /** @param reports receives the result of each fetch */
    KeySource(JwtSettings settings, System.Logger logger, JwksUrl.Reports reports) {
        this.settings = settings;
        this.files = new KeyFiles(
                settings.secretFile(), settings.publicKeyFile(), settings.jwksFile(), minSecretBytes(settings));
        this.logger = logger;
        this.reports = reports;
    }

    /** A secret must be as long as the hash (RFC 7518, 3.2). */
    private static int minSecretBytes(JwtSettings settings) {
        if (settings.algorithms().contains("HS512")) {
            return 64;
        }
        return settings.algorithms().contains("HS384") ? 48 : 32;
    }

    /**
     * Reads the files and fetches the URL. If that fails to answer, it is tried again later. Blocks.
     *
     * @throws IOException naming a file with a mistake
     */
    @SuppressWarnings("FutureReturnValueIgnored") // runs until close
    void start() throws IOException, InterruptedException {
        files.changed().ifPresent(keys -> ofFiles = keys);
        URI address = settings.jwksUrl();
        if (address != null) {
            BoundedHttp made = new BoundedHttp(
                    "plugin-jwt-http",
                    settings.tls().context(),
                    settings.times().timeout());
            http = made;
            if (ServiceUrl.isInTheClear(address)) {
                logger.log(
                        System.Logger.Level.WARNING,
                        "keys come over plain HTTP: anyone who changes them on the way can make valid tokens host="
                                + address.getHost());
            }
            JwksUrl opened = new JwksUrl(address, made, settings.times(), System::nanoTime, reports);
            url = opened;
            await(opened.newer());
        }
        ScheduledExecutorService made = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "plugin-jwt-keys");
            thread.setDaemon(true);
            return thread;
        });
        timer = made;
        made.scheduleWithFixedDelay(this::look, LOOK_SECONDS, LOOK_SECONDS, TimeUnit.SECONDS);
    }

    private void await(@Nullable CompletableFuture<KeySet> first) throws InterruptedException {
        if (first == null) {
            return;
        }
        try {
            first.get(settings.times().timeout().toMillis() + 1_000, TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) { // newer() never fails and has its own timeout
            logger.log(System.Logger.Level.WARNING, "no keys at the start", e);
        }
    }

    private void look() {
        try {
            JwksUrl opened = url;
            if (opened != null) {
                opened.look();
            }
            files.changed().ifPresent(keys -> {
                ofFiles = keys;
                problemOfFiles = "";
                logger.log(
                        System.Logger.Level.INFO,
                        "keys read again count=" + keys.keys().size());
            });
        } catch (IOException e) {
            problemOfFiles = e.getMessage() + "; the old keys stay in force";
            logger.log(System.Logger.Level.ERROR, "keys not reloaded, the old ones stay in force: " + e.getMessage());
        } catch (RuntimeException | Error e) { // outermost frame: must not end the schedule
            logger.log(System.Logger.Level.ERROR, "check for changed keys failed", e);
        }
    }

    @Override
    public KeySet now() {
        JwksUrl opened = url;
        return opened == null ? ofFiles : ofFiles.and(opened.keys());
    }

    @Override
    public @Nullable CompletableFuture<KeySet> newer() {
        JwksUrl opened = url;
        return opened == null ? null : opened.newer();
    }

    /** The current problem, for operators; empty if there is none. */
    String problem() {
        JwksUrl opened = url;
        String remote = opened == null ? "" : opened.problem();
        return remote.isEmpty() ? problemOfFiles : remote;
    }

    @Override
    public void close() {
        if (timer != null) {
            timer.shutdownNow();
        }
        if (http != null) {
            http.close();
        }
    }
}
