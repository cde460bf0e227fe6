package io.godwit.broker.auth;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.broker.auth.password.BcryptHash;
import io.godwit.broker.auth.password.Credential;
import io.godwit.broker.auth.password.PasswordFile;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PasswdTest {
    @TempDir
    Path directory;

    private Path file;
    private String output = "";

    @BeforeEach
    void name() {
        file = directory.resolve("passwd");
    }

    private int run(String input, String... args) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        PrintStream stream = new PrintStream(out, true, StandardCharsets.UTF_8);
        String[] all = Stream.concat(Stream.of("--file", file.toString()), Stream.of(args))
                .toArray(String[]::new);
        int code = new Passwd(new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)), stream, stream, null)
                .run(all);
        output = out.toString(StandardCharsets.UTF_8);
        return code;
    }

    private boolean accepts(String user, String password) throws Exception {
        Credential credential = PasswordFile.read(file).get(user);
        return credential != null && credential.matches(password.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void usersAreAddedChangedListedAndDeleted() throws Exception {
        assertThat(run("grutto\nrest", "add", "--cost", "4", "ann")).as(output).isZero();
        assertThat(run("wulp\r\n", "add", "--scram", "bob b")).as(output).isZero();
        assertThat(run("kluut", "add", "--argon2", "cas")).as(output).isZero();
        assertThat(accepts("ann", "grutto")).isTrue();
        assertThat(accepts("bob b", "wulp")).isTrue();
        assertThat(accepts("cas", "kluut")).isTrue();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");

        assertThat(run("", "list")).isZero();
        assertThat(output.lines())
                .containsExactly(
                        "ann\tbcrypt cost=4", "bob b\tSCRAM-SHA-256 iterations=16384", "cas\targon2id m=19456,t=2,p=1");

        assertThat(run("tureluur\n", "change", "--cost", "4", "ann")).isZero();
        assertThat(accepts("ann", "tureluur")).isTrue();
        assertThat(accepts("ann", "grutto")).isFalse();

        assertThat(run("", "delete", "bob b")).isZero();
        assertThat(PasswordFile.read(file).users()).containsOnlyKeys("ann", "cas");
        try (Stream<Path> files = Files.list(directory)) {
            assertThat(files).containsExactly(file);
        }
    }

    /**
     * A broker that runs as a service often reads the file through its group, and must still be able to after an edit.
     */
    @Test
    void anEditLeavesTheGroupItsRightsAndOthersNone() throws Exception {
        assertThat(run("grutto\nrest", "add", "--cost", "4", "ann")).as(output).isZero();
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        assertThat(run("tureluur\n", "change", "--cost", "4", "ann")).isZero();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-r-----");
    }

    /** A device that logs in by SCRAM needs a credential of that kind. */
    @Test
    void aChangeKeepsTheKindUnlessToldOtherwise() throws Exception {
        run("wulp", "add", "--scram", "gate");
        run("kluut", "add", "--argon2", "cas");
        run("grutto", "add", "--cost", "11", "ann");
        for (String user : List.of("gate", "cas", "ann")) {
            String kind = kind(user);
            assertThat(run("scholekster", "change", user)).as(output).isZero();
            assertThat(kind(user)).isEqualTo(kind);
            assertThat(output).endsWith("changed " + user + ", kept by " + kind + "\n");
            assertThat(accepts(user, "scholekster")).isTrue();
        }

        assertThat(run("wulp", "change", "--bcrypt", "gate")).isZero();
        assertThat(output).contains("kept by bcrypt cost=10, before by SCRAM-SHA-256");
        assertThat(run("wulp", "change", "--scram", "cas")).isZero();
        assertThat(kind("cas")).startsWith("SCRAM");
    }

    /** A cheap credential, or one of another program, is replaced by one as {@code add} creates it. */
    @Test
    void aChangeWeakensNothing() throws Exception {
        Files.writeString(
                file,
                "bob:$6$hvzpGlkWk+pnY2Pd$radys5Ll1Wi3fRQzXUXIAPKbRQRo/OsJEqgpsOVQ/HHnZ+GdYd+vRiOF8W30ejZFYnOR5V"
                        + "WiQtgC4Jhb3seSpw==\n");
        run("grutto", "add", "--cost", "4", "ann");
        for (String user : List.of("bob", "ann")) {
            assertThat(run("wulp", "change", user)).as(output).isZero();
            assertThat(kind(user)).isEqualTo("bcrypt cost=10");
            assertThat(output).contains(", before by ");
        }
    }

    private String kind(String user) throws Exception {
        return PasswordFile.read(file).users().get(user).kind();
    }

    @Test
    void theVersionIsTold() {
        assertThat(run("", "--version")).isZero();
        assertThat(output).startsWith("Godwit ");
    }

    @Test
    void helpIsGivenForEveryCommand() {
        assertThat(run("", "--help")).isZero();
        assertThat(output).contains("add", "change", "delete", "list", "import");
        assertThat(run("", "add", "--help")).isZero();
        assertThat(output).contains("--scram", "--argon2", "--cost", "USER");
    }

    @Test
    void commentsAndOrderSurviveAnEdit() throws Exception {
        Files.writeString(
                file,
                "# the farm\nann:" + BcryptHash.NOBODY.text() + "\n\n# guests\nann b:" + BcryptHash.NOBODY.text()
                        + "\n");
        assertThat(run("x\n", "change", "--cost", "4", "ann")).as(output).isZero();
        assertThat(Files.readAllLines(file))
                .hasSize(5)
                .contains("# the farm", "", "# guests", "ann b:" + BcryptHash.NOBODY.text());
    }

    @Test
    void wrongArgumentsAreReportedAndChangeNothing() throws Exception {
        assertThat(run("\n", "add", "ann")).isEqualTo(1);
        assertThat(output).contains("the password is empty");
        assertThat(file).doesNotExist();
        assertThat(run("x\n", "change", "ann")).isEqualTo(1);
        assertThat(output).contains("there is no file");
        assertThat(run("x\n", "add", "a:b")).isEqualTo(1);
        assertThat(output).contains("has no ':'");

        assertThat(run("x\n", "add", "--cost", "4", "ann")).isZero();
        String before = Files.readString(file);
        assertThat(run("y\n", "add", "ann")).isEqualTo(1);
        assertThat(output).contains("there already");
        assertThat(run("y\n", "change", "bob")).isEqualTo(1);
        assertThat(run("", "delete", "bob")).isEqualTo(1);
        assertThat(output).contains("no user bob");
        assertThat(run("y".repeat(73), "change", "ann")).isEqualTo(1);
        assertThat(output).contains("72 bytes");
        assertThat(run("y\n", "add", "--scram", "--argon2", "bob")).isEqualTo(2);
        assertThat(run("")).isEqualTo(2);
        assertThat(Files.readString(file)).isEqualTo(before);

        Files.writeString(file, "ann\n");
        assertThat(run("y\n", "add", "bob")).isEqualTo(1);
        assertThat(output).contains("line 1");
    }

    @Test
    void usersOfMosquittoAreImported() throws Exception {
        Path theirs = directory.resolve("theirs");
        Files.writeString(
                theirs,
                "alice:$7$101$anT2zS1pL5jq981F$yL58mBe9BcvdUQboC99d4TscEt7VHKUWaLpys/x4hC1ifad8l8DtjNda7og9UyRI"
                        + "tv54J5mj3lGC7y6HGlRxaA==\nbob:$6$hvzpGlkWk+pnY2Pd$radys5Ll1Wi3fRQzXUXIAPKbRQ"
                        + "Ro/OsJEqgpsOVQ/HHnZ+GdYd+vRiOF8W30ejZFYnOR5VWiQtgC4Jhb3seSpw==\n");
        run("own\n", "add", "--cost", "4", "bob");
        assertThat(run("", "import", theirs.toString())).as(output).isZero();
        assertThat(output).contains("imported 1 users, left out 1");
        assertThat(accepts("alice", "secret1")).isTrue();
        assertThat(accepts("bob", "own")).isTrue();
        assertThat(run("", "import", "--replace", theirs.toString())).isZero();
        assertThat(accepts("bob", "secret 2")).isTrue();
    }
}
