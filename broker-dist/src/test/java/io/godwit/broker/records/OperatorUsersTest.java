package io.godwit.broker.records;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.godwit.api.port.ChangedMeanwhileException;
import io.godwit.api.port.LimitReachedException;
import io.godwit.api.port.NotAllowedException;
import io.godwit.api.port.access.UserAdmin.Hash;
import io.godwit.api.port.access.UserAdmin.Rules;
import io.godwit.api.port.access.UserAdmin.User;
import io.godwit.broker.auth.AuthFileReports;
import io.godwit.broker.auth.FileAuth;
import io.godwit.broker.auth.SharedUsers;
import io.godwit.dist.DistConfig;
import io.godwit.dist.DistWorker;
import io.godwit.dist.client.Delayer;
import io.godwit.dist.client.Deliverer;
import io.godwit.kv.testing.InMemoryRangeHost;
import io.godwit.plugin.auth.AuthDecision;
import io.godwit.plugin.auth.ConnectRequest;
import io.godwit.plugin.auth.ConnectResult;
import io.godwit.plugin.auth.PublishRequest;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.event.EventListener;
import io.godwit.plugin.message.Qos;
import io.godwit.testing.Await;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Users and rules that all nodes share, beside those of files. */
class OperatorUsersTest {
    private static final Duration WITHIN = Duration.ofSeconds(20);

    @TempDir
    Path directory;

    private DistWorker dist = worker();
    private final InMemoryRangeHost host =
            new InMemoryRangeHost(() -> dist.coprocessorFactory().get());
    private @Nullable FileAuth auth;
    private @Nullable OperatorUsers users;

    private DistWorker worker() {
        return new DistWorker(
                DistConfig.DEFAULT,
                this::host,
                delivery -> Deliverer.DELIVERED,
                delivery -> Deliverer.DELIVERED,
                Delayer.NONE,
                EventListener.NONE,
                new SimpleMeterRegistry());
    }

    private InMemoryRangeHost host() {
        return host;
    }

    @BeforeEach
    void write() throws Exception {
        String hash = SharedUsers.credential("of-file".getBytes(UTF_8), SharedUsers.Hash.BCRYPT, new SecureRandom());
        Files.writeString(directory.resolve("passwd"), "root:" + hash + "\n");
        Files.writeString(directory.resolve("acl"), "# first\nallow all user root #\ndeny all all secret/#\n");
        open(true);
    }

    private void open(boolean withRules) throws Exception {
        close();
        dist.start();
        FileAuth files = FileAuth.open(
                new FileAuth.Settings(
                        directory.resolve("passwd"),
                        withRules ? directory.resolve("acl") : null,
                        false,
                        1,
                        10,
                        Duration.ofMinutes(1)),
                new AuthFileReports(EventListener.NONE, new SimpleMeterRegistry()));
        auth = files;
        users = new OperatorUsers(dist.records(), files, () -> 1_700_000_000_000L, 2);
    }

    private void restart() throws Exception {
        dist = worker();
        host.crashAndRestart();
        host.runUntilIdle();
        open(true);
    }

    @AfterEach
    void close() {
        if (users != null) {
            users.close();
        }
        if (auth != null) {
            auth.close();
        }
    }

    private static ClientInfo client(String user) {
        return new ClientInfo(TenantId.DEFAULT, new ClientId("c"), user, "test:1", 5);
    }

    private boolean isLetIn(String user, String password) throws Exception {
        return auth.connect(new ConnectRequest(client(user), false, password.getBytes(UTF_8), List.of()))
                        .get(20, TimeUnit.SECONDS)
                instanceof ConnectResult.Accepted;
    }

    private boolean mayPublish(String user, String topic) {
        return auth.publish(new PublishRequest(client(user), topic, Qos.AT_MOST_ONCE, false, false))
                .join()
                .equals(AuthDecision.ALLOWED);
    }

    /** Completes a change: hashing on its thread, then the store when the test lets it continue. */
    private <T> T done(CompletableFuture<T> change) {
        Await.until("the change ends", WITHIN, () -> {
            host.runUntilIdle();
            return change.isDone();
        });
        return change.join();
    }

    private boolean put(String name, String password, Hash hash) {
        return done(users.put(name, password.getBytes(UTF_8), hash, "ada", WITHIN));
    }

    @Test
    void aUserIsLetInFromWhenItIsMadeUntilItIsRemoved() throws Exception {
        assertThat(isLetIn("ann", "grutto")).isFalse();
        assertThat(put("ann", "grutto", Hash.BCRYPT)).isTrue();
        assertThat(isLetIn("ann", "grutto")).isTrue();
        assertThat(isLetIn("ann", "other")).isFalse();
        assertThat(put("ann", "other", Hash.SCRAM)).isFalse();
        assertThat(isLetIn("ann", "grutto"))
                .as("the old password is no longer cached")
                .isFalse();
        assertThat(isLetIn("ann", "other")).isTrue();
        restart();
        assertThat(isLetIn("ann", "other")).isTrue();
        assertThat(done(users.users(null, 10)).items())
                .extracting(User::name, User::isOfFile, User::by)
                .containsExactly(tuple("ann", false, "ada"), tuple("root", true, ""));
        assertThat(done(users.users(null, 1)).next()).extracting(User::name).isEqualTo("ann");
        assertThat(done(users.remove("ann", WITHIN))).isTrue();
        assertThat(done(users.remove("ann", WITHIN))).isFalse();
        assertThat(isLetIn("ann", "other")).isFalse();
    }

    @Test
    void aUserOfTheFileCountsFirstAndIsNotChanged() throws Exception {
        assertThat(users.put("root", "mine".getBytes(UTF_8), Hash.BCRYPT, "ada", WITHIN))
                .failsWithin(WITHIN)
                .withThrowableThat()
                .withCauseInstanceOf(NotAllowedException.class);
        put("ann", "shared", Hash.BCRYPT);
        String hash = SharedUsers.credential("of-file".getBytes(UTF_8), SharedUsers.Hash.BCRYPT, new SecureRandom());
        Files.writeString(directory.resolve("passwd"), "root:" + hash + "\nann:" + hash + "\n");
        Await.until("the file is read", WITHIN, () -> auth.isOfFile("ann"));
        assertThat(isLetIn("ann", "shared")).isFalse();
        assertThat(isLetIn("ann", "of-file")).isTrue();
        CompletableFuture<Boolean> removed = users.remove("root", WITHIN);
        host.runUntilIdle();
        assertThat(removed).failsWithin(WITHIN).withThrowableThat().withCauseInstanceOf(NotAllowedException.class);
    }

    @Test
    void whatABcryptHashWouldCutAndWhatIsTooManyIsRefused() {
        CompletableFuture<Boolean> tooLong = users.put("ann", new byte[73], Hash.BCRYPT, "ada", WITHIN);
        assertThat(tooLong).failsWithin(WITHIN).withThrowableThat().withCauseInstanceOf(IllegalArgumentException.class);
        put("a", "x", Hash.BCRYPT);
        put("b", "x", Hash.BCRYPT);
        CompletableFuture<Boolean> more = users.put("c", "x".getBytes(UTF_8), Hash.BCRYPT, "ada", WITHIN);
        Await.until("refused", WITHIN, () -> {
            host.runUntilIdle();
            return more.isDone();
        });
        assertThat(more).failsWithin(WITHIN).withThrowableThat().withCauseInstanceOf(LimitReachedException.class);
    }

    @Test
    void rulesOfAllNodesComeBehindThoseOfTheFile() throws Exception {
        assertThat(mayPublish("ann", "a")).isFalse();
        long before = auth.rulesVersion();
        done(users.setRules(List.of("allow publish user ann #", "allow all all open/#"), any -> true, "ada", WITHIN));
        assertThat(auth.rulesVersion())
                .as("a new version makes cached answers invalid")
                .isGreaterThan(before);
        assertThat(mayPublish("ann", "a")).isTrue();
        assertThat(mayPublish("ann", "secret/a"))
                .as("the rules of the file come first")
                .isFalse();
        assertThat(mayPublish("bob", "open/a")).isTrue();
        restart();
        assertThat(mayPublish("ann", "a")).isTrue();
        Files.writeString(directory.resolve("acl"), "deny publish user ann a\n");
        Await.until("the file is read", WITHIN, () -> !mayPublish("ann", "a"));
        assertThat(mayPublish("ann", "secret/a"))
                .as("the rules of operators stay in force")
                .isTrue();
        assertThat(done(users.rules()).ofFile()).containsExactly("deny publish user ann a");
        assertThat(done(users.rules()).shared()).hasSize(2);
        done(users.setRules(List.of(), any -> true, "ada", WITHIN));
        assertThat(mayPublish("bob", "open/a")).isFalse();
    }

    /** Of two operators the second has read outdated rules, however their requests interleave. */
    @Test
    void rulesAreReplacedOnlyBySomebodyWhoHasSeenThem() throws Exception {
        assertThat(done(users.rules()).version()).isEqualTo(Rules.NO_VERSION);
        CompletableFuture<Void> first =
                users.setRules(List.of("allow all all first"), Rules.NO_VERSION::equals, "ada", WITHIN);
        CompletableFuture<Void> second =
                users.setRules(List.of("allow all all second"), Rules.NO_VERSION::equals, "bob", WITHIN);
        Await.until("both are decided", WITHIN, () -> {
            host.runUntilIdle();
            return first.isDone() && second.isDone();
        });
        assertThat(List.of(first.isCompletedExceptionally(), second.isCompletedExceptionally()))
                .containsExactlyInAnyOrder(true, false);
        CompletableFuture<Void> refused = first.isCompletedExceptionally() ? first : second;
        assertThat(refused)
                .failsWithin(WITHIN)
                .withThrowableThat()
                .withCauseInstanceOf(ChangedMeanwhileException.class);
        Rules now = done(users.rules());
        assertThat(now.shared()).hasSize(1);
        done(users.setRules(List.of(), now.version()::equals, "ada", WITHIN));
        assertThat(done(users.rules()).version()).isNotIn(now.version(), Rules.NO_VERSION);
    }

    @Test
    void rulesThatAreWrongOrWouldHaveNoEffectAreRefused() throws Exception {
        assertThat(users.setRules(List.of("allow all all #", "allow"), any -> true, "ada", WITHIN))
                .failsWithin(WITHIN)
                .withThrowableThat()
                .withCauseInstanceOf(IllegalArgumentException.class)
                .withMessageContaining("line 2");
        assertThat(users.setRules(List.of("allow all all " + "x".repeat(16_000)), any -> true, "ada", WITHIN))
                .isCompletedExceptionally();
        open(false);
        assertThat(users.setRules(List.of("deny all all #"), any -> true, "ada", WITHIN))
                .failsWithin(WITHIN)
                .withThrowableThat()
                .withCauseInstanceOf(NotAllowedException.class);
        assertThat(mayPublish("ann", "a")).isTrue();
    }
}
