package io.godwit.broker.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.api.auth.Principal;
import io.godwit.api.auth.Role;
import io.godwit.api.auth.TokenFile;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TokenCommandTest {
    @TempDir
    private Path directory;

    private String out = "";
    private String err = "";

    private Path file() {
        return directory.resolve("tokens");
    }

    private int run(String... args) {
        ByteArrayOutputStream outBytes = new ByteArrayOutputStream();
        ByteArrayOutputStream errBytes = new ByteArrayOutputStream();
        List<String> words = new ArrayList<>(List.of("token"));
        words.addAll(Arrays.asList(args));
        words.addAll(List.of("--file", file().toString()));
        int code = new Admin(
                        new PrintStream(outBytes, true, StandardCharsets.UTF_8),
                        new PrintStream(errBytes, true, StandardCharsets.UTF_8))
                .run(words.toArray(String[]::new));
        out = outBytes.toString(StandardCharsets.UTF_8);
        err = errBytes.toString(StandardCharsets.UTF_8);
        return code;
    }

    private String printedToken() {
        return out.lines().filter(line -> line.startsWith("gdw_")).findFirst().orElseThrow();
    }

    @Test
    void aTokenIsPrintedOnceAndStoredAsAHashForItsOwnerOnly() throws Exception {
        assertThat(run("add", "ann", "--role", "operator", "--tenant", "t1"))
                .as(err)
                .isZero();
        String token = printedToken();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file())))
                .isEqualTo("rw-------");
        assertThat(Files.readString(file())).doesNotContain(token);
        String hash = TokenFile.read(file()).entries().get(0).value();
        assertThat(TokenFile.read(file()).ofToken(token))
                .isEqualTo(new Principal(
                        "ann", Role.OPERATOR, Optional.of("t1"), Principal.Kind.TOKEN, "file:" + hash.substring(0, 8)));

        assertThat(run("list")).isZero();
        assertThat(out).contains("ann", "operator", "t1", "token").doesNotContain(token);
        assertThat(out).doesNotContain(hash);
    }

    @Test
    void commentsSurviveAnEdit() throws Exception {
        run("add", "ann", "--role", "viewer");
        Files.writeString(file(), Files.readString(file()) + "# the night shift\n");
        assertThat(run("add", "bob", "--role", "admin")).isZero();
        assertThat(run("remove", "ann")).isZero();
        assertThat(Files.readString(file()))
                .contains("# the night shift", "bob:admin:")
                .doesNotContain("ann:");
    }

    @Test
    void aCertificateIsAdmittedByItsSubject() throws Exception {
        assertThat(run("add", "ops", "--role", "viewer", "--subject", "CN=ops,O=birds"))
                .isZero();
        assertThat(Files.readString(file())).contains("ops:viewer::subject:CN=ops,O=birds");
        assertThat(out).doesNotContain("gdw_");
    }

    @Test
    void wrongArgumentsAreRefusedAndChangeNothing() throws Exception {
        assertThat(run("add", "ann")).isEqualTo(2);
        assertThat(run("add", "ann", "--role", "king")).isEqualTo(2);
        assertThat(run()).isEqualTo(2);
        assertThat(run("add", "a b", "--role", "viewer")).isEqualTo(4);
        assertThat(file()).doesNotExist();
        assertThat(run("list")).isEqualTo(1);
        assertThat(run("add", "ann", "--role", "viewer")).isZero();
        String before = Files.readString(file());
        assertThat(run("add", "ann", "--role", "admin")).isEqualTo(4);
        assertThat(err).contains("the name ann is there already");
        assertThat(run("remove", "bob")).isEqualTo(6);
        assertThat(Files.readString(file())).isEqualTo(before);
    }
}
