package io.godwit.broker.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.testing.Needs;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code release/sign.sh} with gpg and a key of its own. */
class SignScriptTest {
    private static final Path SCRIPT = Path.of("..", "release", "sign.sh");
    private static final String KEY = "release@example.org";

    @TempDir
    private Path place;

    private Path keys;
    private Path release;

    private record Run(int code, String said) {}

    @BeforeEach
    void makeAKeyAndARelease() throws Exception {
        Needs.need(Needs.program("gpg") != null, "gpg", "by its package");
        keys = Files.createDirectory(
                place.resolve("keys"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        release = Files.createDirectory(place.resolve("release"));
        Files.writeString(release.resolve("godwit.tar.gz"), "the broker");
        Files.writeString(release.resolve("godwit.deb"), "the package");
        assertThat(run("bash", "-c", "cd '" + release + "' && sha256sum godwit.deb godwit.tar.gz >SHA256SUMS")
                        .code())
                .isZero();
        Run key = run(
                "gpg",
                "--batch",
                "--passphrase",
                "",
                "--quick-generate-key",
                "Release <" + KEY + ">",
                "ed25519",
                "sign",
                "never");
        assertThat(key.code()).as(key.said()).isZero();
    }

    /** The agent of gpg would outlive the test. */
    @AfterEach
    void endTheAgent() throws Exception {
        if (keys != null) {
            run("gpgconf", "--kill", "all");
        }
    }

    private Run run(String... command) throws Exception {
        ProcessBuilder builder = new ProcessBuilder(List.of(command)).redirectErrorStream(true);
        builder.environment().put("GNUPGHOME", keys.toString());
        // A file: an agent that gpg starts may keep a pipe open.
        Path said = place.resolve("said");
        Process process = builder.redirectOutput(said.toFile()).start();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return new Run(process.exitValue(), Files.readString(said, StandardCharsets.UTF_8));
    }

    private Run sign(String key) throws Exception {
        return run("bash", SCRIPT.toString(), key, release.toString());
    }

    private int verify() throws Exception {
        return run(
                        "gpg",
                        "--verify",
                        release.resolve("SHA256SUMS.asc").toString(),
                        release.resolve("SHA256SUMS").toString())
                .code();
    }

    @Test
    void theSignatureIsOfTheChecksums() throws Exception {
        Run run = sign(KEY);
        assertThat(run.code()).as(run.said()).isZero();
        assertThat(verify()).isZero();
        assertThat(sign(KEY).code()).as("a second time").isZero();

        Files.writeString(release.resolve("SHA256SUMS"), "0".repeat(64) + "  godwit.deb\n");
        assertThat(verify()).isNotZero();
    }

    @Test
    void aFileThatDiffersFromItsChecksumIsNotSigned() throws Exception {
        Files.writeString(release.resolve("godwit.deb"), "another package");
        Run run = sign(KEY);
        assertThat(run.code()).isNotZero();
        assertThat(run.said()).contains("godwit.deb: FAILED");
        assertThat(release.resolve("SHA256SUMS.asc")).doesNotExist();
    }

    @Test
    void aFileWithoutAChecksumIsNotPublished() throws Exception {
        Files.writeString(release.resolve("godwit.zip"), "unknown");
        Run run = sign(KEY);
        assertThat(run.code()).isNotZero();
        assertThat(run.said()).contains("does not name exactly these files", "godwit.zip");
        assertThat(release.resolve("SHA256SUMS.asc")).doesNotExist();
    }

    @Test
    void aKeyThatIsNotThereSignsNothing() throws Exception {
        assertThat(sign("nobody@example.org").code()).isNotZero();
        assertThat(release.resolve("SHA256SUMS.asc")).doesNotExist();
    }
}
