package io.godwit.broker.auth;

import io.godwit.broker.auth.login.LoginSource;
import io.godwit.broker.auth.password.AuthFileException;
import io.godwit.broker.auth.password.BcryptHash;
import io.godwit.broker.auth.password.Credential;
import io.godwit.broker.auth.password.Hmac;
import io.godwit.broker.auth.password.LoginsUnderWay;
import io.godwit.broker.auth.password.PasswordFile;
import io.godwit.broker.auth.password.PasswordPool;
import io.godwit.broker.auth.password.ScramCredential;
import io.godwit.broker.auth.password.ScramExchange;
import io.godwit.broker.auth.password.VerifiedPasswords;
import io.godwit.broker.config.WatchedFile;
import io.godwit.plugin.auth.AuthCheck;
import io.godwit.plugin.auth.AuthDecision;
import io.godwit.plugin.auth.AuthExchange;
import io.godwit.plugin.auth.AuthProvider;
import io.godwit.plugin.auth.ConnectRequest;
import io.godwit.plugin.auth.ConnectResult;
import io.godwit.plugin.auth.ExchangeRequest;
import io.godwit.plugin.auth.PublishRequest;
import io.godwit.plugin.auth.RefusalReason;
import io.godwit.plugin.auth.SubscribeRequest;
import io.godwit.plugin.client.TenantId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Users and rules from files. Both files are checked twice a second. A changed file is read as a whole and takes effect
 * at once, also on publishes of connected clients; a file with a mistake is reported and changes nothing. Existing
 * subscriptions, and clients whose user was deleted, stay until the client disconnects. There are also users and rules
 * that all nodes share: if both have a user of one name, the file's counts, and rules of the file come first.
 *
 * <p>Called on event loops, where it only looks up; the {@link PasswordPool} computes hashes.
 */
public final class FileAuth implements AuthProvider, ScramExchange.Users {
    private static final Logger LOG = LoggerFactory.getLogger(FileAuth.class);
    private static final long LOOK_MILLIS = 500;
    private static final int NONCE_BYTES = 18;
    private static final int SALT_BYTES = 16;

    private static final CompletableFuture<AuthDecision> ALLOWED =
            CompletableFuture.completedFuture(AuthDecision.ALLOWED);

    private static final CompletableFuture<ConnectResult> UNDECIDED =
            CompletableFuture.completedFuture(ConnectResult.UNDECIDED);

    private static final ConnectResult RIGHT = new ConnectResult.Accepted(TenantId.DEFAULT, null);
    private static final ConnectResult WRONG =
            new ConnectResult.Refused(RefusalReason.BAD_CREDENTIALS, "unknown user or wrong password");

    private final Settings settings;
    private final AuthFileReports reports;
    private final PasswordPool pool;
    private final VerifiedPasswords verified;
    private final LoginsUnderWay underWay;
    private final SecureRandom random = new SecureRandom();
    private final byte[] nobodysKey = new byte[32];
    private final ScheduledExecutorService watcher;
    // confined to the watcher once it runs
    private final WatchedFile passwordFile;
    private final @Nullable WatchedFile aclFile;
    // guarded by this: the watcher and the thread that changes shared rules rarely contend
    private List<AclRule> rulesOfFile = List.of();
    private List<AclRule> sharedRules = List.of();
    private long reloads;

    private final SharedUsers sharedUsers = new SharedUsers();

    // read by every event loop
    private volatile PasswordFile users;
    private volatile @Nullable Acl acl;
    private volatile long version;

    private FileAuth(Settings settings, AuthFileReports reports) throws AuthFileException {
        this.settings = settings;
        this.reports = reports;
        random.nextBytes(nobodysKey);
        // created before the files are read, so that a change meanwhile is noticed
        passwordFile = new WatchedFile(settings.passwords());
        Path rules = settings.acl();
        aclFile = rules == null ? null : new WatchedFile(rules);
        Content content = Content.read(settings);
        users = content.users();
        rulesOfFile = content.rules();
        acl = rules == null ? null : new Acl(rulesOfFile);
        pool = new PasswordPool(settings.threads(), settings.maxWaiting(), Settings.PATIENCE, System::nanoTime);
        verified = new VerifiedPasswords(settings.remember(), random, System::nanoTime);
        underWay = new LoginsUnderWay(random);
        watcher = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "auth-files");
            thread.setDaemon(true);
            return thread;
        });
    }

    /**
     * Reads the files and watches them until {@link #close}. Blocks.
     *
     * @throws AuthFileException naming every mistake
     */
    @SuppressWarnings("FutureReturnValueIgnored") // runs until the watcher is shut down
    public static FileAuth open(Settings settings, AuthFileReports reports) throws AuthFileException {
        FileAuth auth = unwatched(settings, reports);
        auth.watcher.scheduleWithFixedDelay(auth::look, LOOK_MILLIS, LOOK_MILLIS, TimeUnit.MILLISECONDS);
        return auth;
    }

    /**
     * Reads the files once. Blocks.
     *
     * @throws AuthFileException naming every mistake
     */
    public static void check(Settings settings) throws AuthFileException {
        Content.read(settings);
    }

    /** The content of both files. */
    private record Content(PasswordFile users, List<AclRule> rules) {

        /** @throws AuthFileException naming the mistakes in both files */
        static Content read(Settings settings) throws AuthFileException {
            PasswordFile users;
            try {
                users = PasswordFile.read(settings.passwords());
            } catch (AuthFileException e) {
                AuthFileException told = e.getCause() instanceof NoSuchFileException
                        ? AuthFileException.noUsers(settings.passwords(), e)
                        : e;
                throw told.and(mistakesIn(settings.acl()));
            }
            Path rules = settings.acl();
            return new Content(users, rules == null ? List.of() : Acl.read(rules));
        }

        private static @Nullable AuthFileException mistakesIn(@Nullable Path rules) {
            try {
                if (rules != null) {
                    Acl.read(rules);
                }
                return null;
            } catch (AuthFileException e) {
                return e;
            }
        }
    }

    /** As {@link #open}, but the files are only checked in calls of {@link #look}. */
    static FileAuth unwatched(Settings settings, AuthFileReports reports) throws AuthFileException {
        FileAuth auth = new FileAuth(settings, reports);
        warnOfReaders(settings.passwords());
        LOG.info(
                "authentication by file users={} passwords={} rules={}",
                auth.users.users().size(),
                settings.passwords(),
                settings.acl() == null ? "none: every user may publish and subscribe to everything" : settings.acl());
        return auth;
    }

    private static void warnOfReaders(Path file) {
        try {
            Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(file);
            if (permissions.contains(PosixFilePermission.OTHERS_READ)) {
                LOG.warn("every user of this machine may read the password hashes file={}, chmod 600 bars them", file);
            }
        } catch (UnsupportedOperationException | IOException e) {
            LOG.debug("permissions not known file={}", file, e);
        }
    }

    // ---- the files

    /** Called on the watcher. */
    void look() {
        try {
            if (passwordFile.hasChanged()) {
                reload(passwordFile, () -> users = PasswordFile.read(passwordFile.path()));
            }
            WatchedFile rules = aclFile;
            if (rules != null && rules.hasChanged()) {
                reload(rules, () -> take(Acl.read(rules.path())));
            }
        } catch (RuntimeException | Error e) { // outermost frame: the next look must come
            LOG.error("check for changed files of users and rules failed", e);
        }
    }

    private void reload(WatchedFile file, Reading reading) {
        try {
            reading.read();
            file.used();
            changed();
            LOG.info("authentication file={} reloaded", file.path());
            reports.loaded(file.path());
        } catch (AuthFileException e) {
            String why = String.valueOf(e.getMessage());
            if (file.failed(why)) {
                LOG.error("authentication file not reloaded, its old content stays in force: {}", why);
                reports.rejected(file.path(), why);
            }
        }
    }

    private synchronized void take(List<AclRule> rules) {
        rulesOfFile = rules;
        combine();
    }

    /** Called with the lock held. */
    private void combine() {
        List<AclRule> all = new ArrayList<>(rulesOfFile);
        all.addAll(sharedRules);
        acl = new Acl(all);
    }

    private synchronized void changed() {
        version = ++reloads;
    }

    // ---- users and rules of all nodes

    /** The users that all nodes share. */
    public SharedUsers sharedUsers() {
        return sharedUsers;
    }

    /** The users of the current file, with the kind of their credential. Any thread. */
    public SortedMap<String, String> usersOfFile() {
        SortedMap<String, String> kinds = new TreeMap<>();
        users.users().forEach((user, credential) -> kinds.put(user, credential.kind()));
        return kinds;
    }

    /** Whether the current file has that user. Any thread. */
    public boolean isOfFile(String user) {
        return users.contains(user);
    }

    /** Whether there is a file of rules. Without one, every user may do everything. */
    public boolean hasRules() {
        return aclFile != null;
    }

    /** The lines of the current file of rules, without comments. Any thread. */
    public synchronized List<String> rulesOfFile() {
        return rulesOfFile.stream().map(AclRule::line).toList();
    }

    /**
     * Finds the errors in lines of rules.
     *
     * @param lines as in a file
     * @return empty if all are right
     */
    public static List<String> mistakes(List<String> lines) {
        List<String> errors = new ArrayList<>();
        AclRule.parseAll(lines, false, errors);
        return errors;
    }

    /**
     * Replaces the shared rules, which come after those of the file. Any thread.
     *
     * @throws IllegalArgumentException when a line is wrong; the earlier rules then stay
     */
    public synchronized void shareRules(List<String> lines) {
        List<String> errors = new ArrayList<>();
        List<AclRule> rules = AclRule.parseAll(lines, false, errors);
        if (!errors.isEmpty()) {
            throw new IllegalArgumentException(String.join("; ", errors));
        }
        sharedRules = rules;
        if (aclFile != null) {
            combine();
            changed();
        }
    }

    private interface Reading {
        void read() throws AuthFileException;
    }

    // ---- the checks

    @Override
    public Set<AuthCheck> checks() {
        return aclFile == null ? EnumSet.of(AuthCheck.CONNECT) : EnumSet.allOf(AuthCheck.class);
    }

    @Override
    public CompletableFuture<ConnectResult> connect(ConnectRequest request) {
        String user = request.client().userName();
        boolean isKnown = user == null || user.isEmpty()
                ? settings.allowAnonymous() && request.password() == null // a password without a user may be a token
                : request.isUserProven() || credentialOf(user) != null;
        if (settings.leavesUnknown() && !isKnown) {
            return UNDECIDED;
        }
        if (user == null || user.isEmpty()) {
            return CompletableFuture.completedFuture(
                    settings.allowAnonymous()
                            ? new ConnectResult.Accepted(request.client().tenant(), null)
                            : new ConnectResult.Refused(RefusalReason.NOT_AUTHORIZED, "no user name given"));
        }
        if (request.isUserProven()) {
            return CompletableFuture.completedFuture(ConnectResult.Accepted.as(request.client()));
        }
        byte[] given = request.password();
        if (given == null) {
            return CompletableFuture.completedFuture(
                    new ConnectResult.Refused(RefusalReason.BAD_CREDENTIALS, "no password given"));
        }
        Credential credential = credentialOf(user);
        ConnectResult accepted = ConnectResult.Accepted.as(request.client());
        if (credential != null && verified.contains(user, credential, given)) {
            return CompletableFuture.completedFuture(accepted);
        }
        byte[] password = Arrays.copyOf(given, given.length);
        long source = LoginSource.of(request.client().remoteAddress());
        return underWay.join(
                        user, credential, password, () -> pool.submit(source, () -> check(user, credential, password)))
                .thenApply(result -> {
                    if (result instanceof ConnectResult.Accepted) {
                        pool.proved(source);
                        return accepted; // result may belong to a joined login
                    }
                    return result;
                });
    }

    private @Nullable Credential credentialOf(String user) {
        Credential ofFile = users.get(user);
        return ofFile == null ? sharedUsers.get(user) : ofFile;
    }

    /** Runs on a password thread. */
    private ConnectResult check(String user, @Nullable Credential credential, byte[] password) {
        if (credential != null && verified.contains(user, credential, password)) {
            return RIGHT; // verified while this login waited
        }
        // an unknown user takes as long as a known one
        boolean isRight = (credential == null ? BcryptHash.NOBODY : credential).matches(password);
        if (credential == null || !isRight) {
            return WRONG;
        }
        verified.add(user, credential, password);
        return RIGHT;
    }

    @Override
    public @Nullable AuthExchange exchange(ExchangeRequest request) {
        if (!request.method().equals(ScramExchange.METHOD)) {
            return null;
        }
        byte[] nonce = new byte[NONCE_BYTES];
        random.nextBytes(nonce);
        long source = LoginSource.of(request.client().remoteAddress());
        return new ScramExchange(
                this,
                step -> pool.submitStep(source, step),
                request.client().tenant(),
                Base64.getEncoder().encodeToString(nonce));
    }

    @Override
    public @Nullable ScramCredential scram(String user) {
        return credentialOf(user) instanceof ScramCredential credential ? credential : null;
    }

    @Override
    public ScramCredential nobody(String user) {
        byte[] salt = Arrays.copyOf(Hmac.sha256(nobodysKey, user), SALT_BYTES);
        return new ScramCredential(
                ScramCredential.DEFAULT_ITERATIONS,
                salt,
                Hmac.sha256(nobodysKey, "stored:" + user),
                Hmac.sha256(nobodysKey, "server:" + user));
    }

    @Override
    public CompletableFuture<AuthDecision> publish(PublishRequest request) {
        Acl rules = acl;
        return rules == null ? ALLOWED : future(rules.publish(request.client(), request.topic()));
    }

    @Override
    public CompletableFuture<AuthDecision> subscribe(SubscribeRequest request) {
        Acl rules = acl;
        return rules == null
                ? ALLOWED
                : future(rules.subscribe(request.client(), request.filter().filter()));
    }

    private static CompletableFuture<AuthDecision> future(AuthDecision decision) {
        return decision instanceof AuthDecision.Allowed ? ALLOWED : CompletableFuture.completedFuture(decision);
    }

    @Override
    public long rulesVersion() {
        return version;
    }

    @Override
    public void close() {
        watcher.shutdownNow();
        pool.close();
    }

    /**
     * @param passwords the file of users
     * @param acl the file of rules; null to allow every user everything
     * @param allowAnonymous whether clients without a user name are let in; only rules for their client id or for all
     * apply to them
     * @param threads the number of threads that compute hashes; at least 1
     * @param maxWaiting how many logins may wait for these threads before further ones are refused as busy; at least 1
     * @param remember how long a verified password is accepted without another hash; zero for never
     * @param leavesUnknown whether other providers are asked about a client whose user is unknown here
     */
    public record Settings(
            Path passwords,
            @Nullable Path acl,
            boolean allowAnonymous,
            int threads,
            int maxWaiting,
            Duration remember,
            boolean leavesUnknown) {
        /** A login that has waited so long is refused unchecked: few clients wait longer. */
        static final Duration PATIENCE = Duration.ofSeconds(5);

        /** For a provider that decides alone. */
        public Settings(
                Path passwords,
                @Nullable Path acl,
                boolean allowAnonymous,
                int threads,
                int maxWaiting,
                Duration remember) {
            this(passwords, acl, allowAnonymous, threads, maxWaiting, remember, false);
        }

        public Settings {
            if (threads < 1 || maxWaiting < 1 || remember.isNegative()) {
                throw new IllegalArgumentException("threads and maxWaiting must be at least 1, remember not negative: "
                        + threads + ", " + maxWaiting + ", " + remember);
            }
        }
    }
}
