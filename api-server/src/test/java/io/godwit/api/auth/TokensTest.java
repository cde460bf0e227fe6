package io.godwit.api.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.godwit.api.port.ClusterAnswer;
import io.godwit.api.port.access.TokenAdmin;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

class TokensTest {
    @TempDir
    private Path directory;

    private boolean hasChanged;

    private boolean takeChange() {
        boolean before = hasChanged;
        hasChanged = false;
        return before;
    }

    private static String with(String... tokens) {
        TokenFile file = TokenFile.parse("");
        for (String token : tokens) {
            file = file.with(TokenFile.Entry.ofToken(token, Role.VIEWER, "", token));
        }
        return file.text();
    }

    /** A disk that fails at that moment does not leave a removed token valid until the next edit. */
    @Test
    void aFileThatCouldNotBeReadIsReadAgain() throws Exception {
        Path file = Files.writeString(directory.resolve("tokens"), with("a", "b"));
        Tokens tokens = Tokens.load(file, path -> this::takeChange, Optional.empty());

        Files.delete(file); // the path exists but cannot be read
        Files.createDirectory(file);
        hasChanged = true;
        tokens.reloadIfChanged();
        tokens.reloadIfChanged();
        assertThat(tokens.ofToken("b"))
                .as("the token that was loaded before stays valid")
                .isNotNull();

        Files.delete(file);
        Files.writeString(file, with("a"));
        tokens.reloadIfChanged();
        assertThat(tokens.ofToken("b")).isNull();
        assertThat(tokens.ofToken("a")).isNotNull();
        Files.delete(file);
        tokens.reloadIfChanged(); // nothing has changed
        assertThat(tokens.ofToken("a")).isNotNull();
    }

    /** Who may write to it could add an administrator. */
    @Test
    void aFileThatOthersMayWriteIsNotTaken() throws Exception {
        Path file = Files.writeString(directory.resolve("tokens"), with("a"));
        permit(file, "rw-r-----");
        Tokens tokens = Tokens.load(file, path -> this::takeChange, Optional.empty());
        Files.writeString(file, with("a", "b"));
        for (String open : List.of("rw-rw----", "rw-----w-")) {
            permit(file, open);
            hasChanged = true;
            tokens.reloadIfChanged();
            assertThat(tokens.ofToken("b")).as(open).isNull();
            assertThat(tokens.ofToken("a")).as("the tokens of before").isNotNull();
            assertThatThrownBy(() -> Tokens.load(file, path -> this::takeChange, Optional.empty()))
                    .as(open)
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("chmod go-w " + file);
        }
        permit(file, "rw-r--r--");
        tokens.reloadIfChanged();
        assertThat(tokens.ofToken("b")).isNotNull();
    }

    /** Only root can give a file to another user. */
    @Test
    void aFileOfAnotherUserIsNotTaken() throws Exception {
        assumeThat(System.getProperty("user.name")).isEqualTo("root");
        Path file = Files.writeString(directory.resolve("tokens"), with("a"));
        permit(file, "rw-r--r--");
        Files.setAttribute(file, "unix:uid", 65_534);
        assertThatThrownBy(() -> Tokens.load(file, path -> this::takeChange, Optional.empty()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(file.toString())
                .hasMessageContaining("chown");
    }

    private static void permit(Path file, String permissions) throws IOException {
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
    }

    /** Each node checks its own file only when a token is made. */
    @Test
    void aNameThatTheFileAndTheApiHaveIsToldOnce() throws Exception {
        Path file = Files.writeString(directory.resolve("tokens"), with("a", "b"));
        TokenAdmin made = new TokenAdmin() {
            @Override
            public List<Token> tokens() {
                return List.of(token("b"), token("c"));
            }

            private Token token(String name) {
                return new Token(name, "viewer", "", "00".repeat(32), "", -1, "", 0);
            }

            @Override
            public long nowMillis() {
                return 0;
            }

            @Override
            public CompletableFuture<Boolean> add(Token token, Duration within) {
                return CompletableFuture.completedFuture(false);
            }

            @Override
            public CompletableFuture<ClusterAnswer<Boolean>> remove(String name, Duration within) {
                return CompletableFuture.completedFuture(ClusterAnswer.complete(false));
            }
        };
        Tokens tokens = Tokens.load(file, path -> this::takeChange, Optional.of(made));
        Logger logger = (Logger) LoggerFactory.getLogger(Tokens.class);
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        logger.addAppender(log);
        try {
            tokens.reloadIfChanged();
            tokens.reloadIfChanged();
        } finally {
            logger.detachAppender(log);
        }
        assertThat(log.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .singleElement()
                .asString()
                .contains("names=[b]");
    }
}
