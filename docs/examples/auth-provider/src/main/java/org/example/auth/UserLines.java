package org.example.auth;

import io.godwit.plugin.auth.AuthDecision;
import io.godwit.plugin.auth.AuthProvider;
import io.godwit.plugin.auth.AuthProviderFactory;
import io.godwit.plugin.auth.ConnectRequest;
import io.godwit.plugin.auth.ConnectResult;
import io.godwit.plugin.auth.PublishRequest;
import io.godwit.plugin.auth.RefusalReason;
import io.godwit.plugin.auth.SubscribeRequest;
import io.godwit.plugin.context.Plugin;
import io.godwit.plugin.context.PluginContext;
import io.godwit.plugin.context.PluginHealth;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Users, their hashed passwords and their rights, from the file {@code users} in its data directory. */
public final class UserLines implements AuthProviderFactory, Plugin {
    private static final int MAX_BYTES = 1 << 20;

    /** Given with each login, and so with each check of a client that this provider accepted. */
    private static final String OURS = "user-lines";

    private PluginContext context;
    private int threads;
    /** What is wrong with the file; empty when nothing is. Written by the watcher. */
    private volatile String mistake = "";

    @Override
    public String name() {
        return "user-lines";
    }

    @Override
    public void create(PluginContext given) {
        context = given;
        threads = (int) given.settings().number("threads", 2, 1, 64);
    }

    /** Hashes are meant to take long. So the broker makes the calls on threads of the plugin, this many. */
    @Override
    public int threads() {
        return threads;
    }

    @Override
    public PluginHealth health() {
        String present = mistake;
        return present.isEmpty() ? PluginHealth.UP : PluginHealth.down(present);
    }

    /** A file with a mistake ends the start. Without a file, logins are refused until it is there. */
    @Override
    public AuthProvider create() throws IOException {
        return new Watched(context.dataDirectory().resolve("users"), context.logger());
    }

    /** @throws IOException for a mistake, with its line */
    private static Map<String, User> parse(byte[] content) throws IOException {
        Map<String, User> users = new HashMap<>();
        String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(content)).toString();
        int number = 0;
        for (String line : text.lines().toList()) {
            number++;
            if (line.isBlank() || line.startsWith("#")) {
                continue;
            }
            try {
                User user = User.parse(line);
                if (users.put(user.name(), user) != null) {
                    throw new IllegalArgumentException("the name is there already");
                }
            } catch (IllegalArgumentException e) {
                throw new IOException("line " + number + ": " + e.getMessage(), e);
            }
        }
        return users;
    }

    private final class Watched implements AuthProvider {
        /** Unknown users cost as much time as those that {@link NewUser} has made. */
        private static final User NOBODY =
                new User("", 600_000, new byte[16], new byte[User.HASH_BYTES], List.of(), List.of());

        private final Path file;
        private final System.Logger logger;
        private final ScheduledExecutorService watcher = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "user-lines");
            thread.setDaemon(true);
            return thread;
        });
        /** What was read last; null before that. Confined to the watcher once it runs. */
        private byte[] content;
        /** Replaced as a whole by the watcher, read by every thread that asks; null while nothing was read. */
        private volatile Map<String, User> users;
        /** Raised after each change of the users. Written by the watcher. */
        private volatile long version;

        Watched(Path file, System.Logger logger) throws IOException {
            this.file = file;
            this.logger = logger;
            try {
                take(read());
            } catch (NoSuchFileException e) {
                failed(e);
            } catch (IOException e) {
                throw new IOException(file + ": " + e.getMessage(), e);
            }
            watcher.scheduleWithFixedDelay(this::look, 1, 1, TimeUnit.SECONDS);
        }

        private byte[] read() throws IOException {
            try (InputStream in = Files.newInputStream(file)) {
                byte[] bytes = in.readNBytes(MAX_BYTES + 1);
                if (bytes.length > MAX_BYTES) {
                    throw new IOException("has more than " + MAX_BYTES + " bytes");
                }
                return bytes;
            }
        }

        private void take(byte[] bytes) throws IOException {
            users = parse(bytes);
            content = bytes;
            version = version + 1; // after the users: whoever sees the number sees them
            logger.log(System.Logger.Level.INFO, "{0} users read from {1}", users.size(), file);
        }

        /** A file with a mistake, or none any more, changes nothing. */
        private void look() {
            try {
                byte[] now = read();
                if (!Arrays.equals(now, content)) {
                    take(now);
                }
                mistake = "";
            } catch (IOException | RuntimeException e) { // a task that throws would not run again
                failed(e);
            }
        }

        private void failed(Exception e) {
            String text = e instanceof NoSuchFileException ? "there is no " + file : file + ": " + e.getMessage();
            if (!text.equals(mistake)) {
                mistake = text;
                logger.log(System.Logger.Level.ERROR, "users do not change, {0}", text);
            }
        }

        @Override
        public long rulesVersion() {
            return version;
        }

        @Override
        public CompletableFuture<ConnectResult> connect(ConnectRequest request) {
            return CompletableFuture.completedFuture(login(request));
        }

        private ConnectResult login(ConnectRequest request) {
            Map<String, User> present = users;
            if (present == null) {
                return new ConnectResult.Refused(RefusalReason.UNAVAILABLE, mistake);
            }
            String name = request.client().userName();
            if (name == null) {
                return ConnectResult.UNDECIDED;
            }
            User user = present.getOrDefault(name, NOBODY);
            boolean isRight = request.isUserProven()
                    || (request.password() != null && user.hasPassword(request.password()));
            if (user == NOBODY) {
                return ConnectResult.UNDECIDED; // another provider may know it; if none does, it is refused
            }
            return isRight
                    ? ConnectResult.Accepted.as(request.client()).granting(OURS)
                    : new ConnectResult.Refused(RefusalReason.BAD_CREDENTIALS, "wrong password of " + name);
        }

        @Override
        public CompletableFuture<AuthDecision> publish(PublishRequest request) {
            if (!OURS.equals(request.grant())) {
                return CompletableFuture.completedFuture(AuthDecision.UNDECIDED);
            }
            User user = present(request.client().userName());
            return decided(user != null && user.mayPublish(request.topic()));
        }

        @Override
        public CompletableFuture<AuthDecision> subscribe(SubscribeRequest request) {
            if (!OURS.equals(request.grant())) {
                return CompletableFuture.completedFuture(AuthDecision.UNDECIDED);
            }
            User user = present(request.client().userName());
            return decided(user != null && user.maySubscribe(request.filter().filter()));
        }

        /** Null when the file has the user no more. */
        private User present(String name) {
            return users.get(name);
        }

        private CompletableFuture<AuthDecision> decided(boolean isAllowed) {
            return CompletableFuture.completedFuture(
                    isAllowed ? AuthDecision.ALLOWED : new AuthDecision.Denied("no prefix of the user has it"));
        }

        @Override
        public void close() {
            watcher.shutdownNow();
        }
    }
}
