package io.godwit.broker.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.broker.auth.password.AuthFileException;
import io.godwit.broker.auth.password.BcryptHash;
import io.godwit.broker.auth.password.Credential;
import io.godwit.plugin.auth.AuthCheck;
import io.godwit.plugin.auth.AuthDecision;
import io.godwit.plugin.auth.ConnectRequest;
import io.godwit.plugin.auth.ConnectResult;
import io.godwit.plugin.auth.ExchangeRequest;
import io.godwit.plugin.auth.PublishRequest;
import io.godwit.plugin.auth.RefusalReason;
import io.godwit.plugin.auth.SubscribeRequest;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileAuthTest {
    private static final SecureRandom RANDOM = new SecureRandom();

    @TempDir
    Path directory;

    private final List<BrokerEvent> events = new ArrayList<>();
    private Path passwords;
    private Path acl;
    private @Nullable FileAuth auth;

    @BeforeEach
    void write() throws Exception {
        passwords = directory.resolve("passwd");
        acl = directory.resolve("acl");
        users("ann", "grutto");
        Files.writeString(acl, "allow publish user ann a/#\n");
    }

    @AfterEach
    void close() {
        if (auth != null) {
            auth.close();
        }
    }

    private void users(String user, String password) throws IOException {
        Credential credential = BcryptHash.of(password.getBytes(StandardCharsets.UTF_8), 4, RANDOM);
        replace(passwords, user + ":" + credential.text() + "\n");
    }

    /** Replaces the file by a rename, as an editor does. */
    private static void replace(Path file, String text) throws IOException {
        Path next = file.resolveSibling(file.getFileName() + ".next");
        Files.writeString(next, text);
        Files.move(next, file, java.nio.file.StandardCopyOption.ATOMIC_MOVE);
    }

    private FileAuth open(@Nullable Path rules, boolean allowAnonymous) throws Exception {
        auth = FileAuth.unwatched(
                new FileAuth.Settings(passwords, rules, allowAnonymous, 1, 10, Duration.ofMinutes(1)),
                new AuthFileReports(events::add, new SimpleMeterRegistry()));
        return auth;
    }

    private static ClientInfo client(@Nullable String user) {
        return new ClientInfo(TenantId.DEFAULT, new ClientId("c1"), user, "test:1", 5);
    }

    private static ConnectResult connect(FileAuth auth, @Nullable String user, @Nullable String password)
            throws Exception {
        byte[] bytes = password == null ? null : password.getBytes(StandardCharsets.UTF_8);
        return auth.connect(new ConnectRequest(client(user), false, bytes, List.of()))
                .get(10, TimeUnit.SECONDS);
    }

    private static AuthDecision publish(FileAuth auth, String topic) {
        return auth.publish(new PublishRequest(client("ann"), topic, Qos.AT_MOST_ONCE, false, false))
                .join();
    }

    private static RefusalReason reason(ConnectResult result) {
        assertThat(result).isInstanceOf(ConnectResult.Refused.class);
        return ((ConnectResult.Refused) result).reason();
    }

    @Test
    void passwordsAreChecked() throws Exception {
        FileAuth auth = open(acl, false);
        assertThat(connect(auth, "ann", "grutto")).isEqualTo(ConnectResult.Accepted.as(client("ann")));
        assertThat(reason(connect(auth, "ann", "Grutto"))).isEqualTo(RefusalReason.BAD_CREDENTIALS);
        assertThat(reason(connect(auth, "ann", null))).isEqualTo(RefusalReason.BAD_CREDENTIALS);
        assertThat(reason(connect(auth, "bob", "grutto"))).isEqualTo(RefusalReason.BAD_CREDENTIALS);
        assertThat(reason(connect(auth, null, null))).isEqualTo(RefusalReason.NOT_AUTHORIZED);
        assertThat(reason(connect(auth, "", "grutto"))).isEqualTo(RefusalReason.NOT_AUTHORIZED);
    }

    /** With one thread and a queue of ten, most logins would be refused as busy if they did not share a hash. */
    @Test
    void aFleetWithOnePasswordIsLetInByOneHash() throws Exception {
        FileAuth auth = open(null, false);
        byte[] password = "grutto".getBytes(StandardCharsets.UTF_8);
        List<CompletableFuture<ConnectResult>> fleet = new ArrayList<>();
        for (int i = 0; i < 600; i++) {
            ClientInfo client =
                    new ClientInfo(TenantId.DEFAULT, new ClientId("c" + i), "ann", "10.0." + i % 250 + ".1:1", 5);
            fleet.add(auth.connect(new ConnectRequest(client, false, password, List.of())));
        }
        for (CompletableFuture<ConnectResult> login : fleet) {
            assertThat(login.get(10, TimeUnit.SECONDS)).isEqualTo(ConnectResult.Accepted.as(client("ann")));
        }
    }

    @Test
    void aPasswordFoundRightIsRememberedAndAWrongOneNot() throws Exception {
        FileAuth auth = open(null, false);
        connect(auth, "ann", "wrong");
        connect(auth, "ann", "grutto");
        auth.close(); // no hash is computed any more
        assertThat(connect(auth, "ann", "grutto")).isEqualTo(ConnectResult.Accepted.as(client("ann")));
        assertThat(reason(connect(auth, "ann", "wrong"))).isEqualTo(RefusalReason.BUSY);
    }

    /** Its user need not be in the file, but rules apply to it. */
    @Test
    void aCertificateNeedsNoPassword() throws Exception {
        ConnectRequest request = new ConnectRequest(client("machine"), true, null, List.of());
        assertThat(open(acl, false).connect(request).join()).isEqualTo(ConnectResult.Accepted.as(client("machine")));
    }

    @Test
    void anonymousClientsComeInOnlyWhenTold() throws Exception {
        FileAuth auth = open(acl, true);
        assertThat(connect(auth, null, null)).isInstanceOf(ConnectResult.Accepted.class);
        assertThat(reason(connect(auth, "ann", "wrong"))).isEqualTo(RefusalReason.BAD_CREDENTIALS);
    }

    @Test
    void withoutRulesUsersMayDoEverythingAndAreNotAsked() throws Exception {
        assertThat(open(null, false).checks()).containsExactly(AuthCheck.CONNECT);
        assertThat(publish(auth, "x")).isEqualTo(AuthDecision.ALLOWED);
    }

    @Test
    void rulesHoldForSharedSubscriptionsToo() throws Exception {
        Files.writeString(acl, "allow subscribe all a\n");
        FileAuth auth = open(acl, false);
        assertThat(auth.checks()).containsExactlyInAnyOrder(AuthCheck.values());
        for (String filter : List.of("a", "$share/g/a")) {
            assertThat(auth.subscribe(new SubscribeRequest(
                                    client("ann"), TopicFilter.parse(filter).orElseThrow(), Qos.AT_MOST_ONCE))
                            .join())
                    .isEqualTo(AuthDecision.ALLOWED);
        }
        assertThat(auth.subscribe(new SubscribeRequest(
                                client("ann"), TopicFilter.parse("$share/g/b").orElseThrow(), Qos.AT_MOST_ONCE))
                        .join())
                .isInstanceOf(AuthDecision.Denied.class);
    }

    @Test
    void changedFilesTakeEffectAndBrokenOnesDoNot() throws Exception {
        FileAuth auth = open(acl, false);
        connect(auth, "ann", "grutto");
        assertThat(publish(auth, "a/1")).isEqualTo(AuthDecision.ALLOWED);
        long version = auth.rulesVersion();

        replace(acl, "allow publish user ann b/#\nallow everything\n");
        assertThat(nextEvent())
                .isInstanceOfSatisfying(
                        BrokerEvent.AuthFileRejected.class,
                        rejected -> assertThat(rejected.cause()).contains("line 2"));
        assertThat(publish(auth, "a/1")).isEqualTo(AuthDecision.ALLOWED);
        assertThat(auth.rulesVersion()).isEqualTo(version);

        replace(acl, "allow publish user ann b/#\n");
        assertThat(nextEvent()).isEqualTo(new BrokerEvent.AuthFileLoaded(acl.toString()));
        assertThat(auth.rulesVersion()).isGreaterThan(version);
        assertThat(publish(auth, "a/1")).isInstanceOf(AuthDecision.Denied.class);

        users("ann", "wulp");
        assertThat(nextEvent()).isEqualTo(new BrokerEvent.AuthFileLoaded(passwords.toString()));
        assertThat(reason(connect(auth, "ann", "grutto"))).isEqualTo(RefusalReason.BAD_CREDENTIALS);
        assertThat(connect(auth, "ann", "wulp")).isInstanceOf(ConnectResult.Accepted.class);

        Files.delete(passwords);
        assertThat(nextEvent()).isInstanceOf(BrokerEvent.AuthFileRejected.class);
        assertThat(connect(auth, "ann", "wulp")).isInstanceOf(ConnectResult.Accepted.class);
    }

    /** As when there was no file descriptor left: who was barred must not stay in because the disk failed once. */
    @Test
    void aFileThatCouldNotBeUsedIsTriedAgainUnchanged() throws Exception {
        FileAuth auth = open(acl, false);
        FileTime time = FileTime.fromMillis(1_000_000_000_000L);
        String wrong = "allow publish user ann b/#\nallow everything\n";
        replace(acl, wrong);
        Files.setLastModifiedTime(acl, time);
        assertThat(nextEvent()).isInstanceOf(BrokerEvent.AuthFileRejected.class);
        auth.look();
        assertThat(events).as("the mistake is reported only once").isEmpty();
        Files.writeString(acl, wrong.replace("allow everything", "# nothing at all"));
        Files.setLastModifiedTime(acl, time);
        auth.look();
        assertThat(events).containsExactly(new BrokerEvent.AuthFileLoaded(acl.toString()));
        assertThat(publish(auth, "a/1")).isInstanceOf(AuthDecision.Denied.class);
    }

    /** The event after a change, which is noticed at the first look and read at the next. */
    private BrokerEvent nextEvent() {
        auth.look();
        assertThat(events).isEmpty();
        auth.look();
        assertThat(events).hasSize(1);
        return events.remove(0);
    }

    @Test
    void mistakesEndTheStart() throws Exception {
        Files.writeString(passwords, "ann\nbob:secret\nbob:x\n:x\n");
        assertThatThrownBy(() -> open(null, false))
                .isInstanceOf(AuthFileException.class)
                .hasMessageContainingAll(passwords.toString(), "line 1", "line 2", "line 3", "line 4")
                .hasMessageNotContaining("secret");
        Files.delete(passwords);
        assertThatThrownBy(() -> open(null, false))
                .hasMessageContainingAll(passwords.toString(), "no such file", "godwit-passwd");
    }

    @Test
    void onlyScramIsKnown() throws Exception {
        FileAuth auth = open(null, false);
        assertThat(auth.exchange(new ExchangeRequest("PLAIN", client(null), List.of(), false)))
                .isNull();
        assertThat(auth.exchange(new ExchangeRequest("SCRAM-SHA-256", client(null), List.of(), false)))
                .isNotNull();
        assertThat(auth.scram("ann")).as("ann has no SCRAM credential").isNull();
        assertThat(auth.nobody("x").text()).isEqualTo(auth.nobody("x").text());
        assertThat(auth.nobody("x").text()).isNotEqualTo(auth.nobody("y").text());
    }
}
