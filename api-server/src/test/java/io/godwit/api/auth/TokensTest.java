package io.godwit.api.auth;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
}
