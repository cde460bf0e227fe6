package io.godwit.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which build {@code bin/standalone.sh start} runs in a checkout, and when it builds: with a {@code mvn} and a {@code java} that take notes. */
class CheckoutStartTest {
    /** A build can be reproduced: all its files have this time. */
    private static final FileTime BUILD_TIME = FileTime.from(Instant.parse("2026-01-01T00:00:00Z"));

    @TempDir
    private Path home;

    private Path root;
    private Path source;

    @BeforeEach
    void makeCheckout() throws IOException {
        root = home.resolve("checkout");
        source = file("checkout/base-kv/src/main/java/A.java", "1");
        file("checkout/pom.xml", "");
        file("checkout/conf/standalone.yml", "");
        Path script = Path.of(System.getProperty("godwit.root"), "bin", "standalone.sh");
        Files.createDirectories(root.resolve("bin"));
        Files.copy(script, root.resolve("bin/standalone.sh"));
        executable(
                "mvn",
                "echo built >>" + home + "/builds\n" + "mkdir -p " + lib("quick/") + "\n"
                        + "echo jar >" + lib("quick/") + "/godwit.jar\n"
                        + "touch -d 2026-01-01 " + lib("quick/") + "/godwit.jar\n");
        executable(
                "java",
                "if [ \"$1\" = -version ]; then echo 'openjdk version \"17.0.1\"' >&2; exit 0; fi\n" + "echo \"$@\" >"
                        + home + "/started\nexit 1\n");
    }

    @Test
    void theNewestBuildIsRunAndAChangeIsBuiltFirst() throws Exception {
        builtByHand();
        assertThat(started()).contains(lib(""));
        assertThat(builds()).isZero();

        Files.writeString(source, "2");
        assertThat(started()).contains(lib("quick/"));
        assertThat(builds()).isOne();
        assertThat(started()).contains(lib("quick/"));
        assertThat(builds()).isOne();

        builtByHand();
        assertThat(started()).contains(lib(""));
        assertThat(builds()).isOne();
    }

    @Test
    void aFreshCheckoutIsBuilt() throws Exception {
        assertThat(started()).contains(lib("quick/"));
        assertThat(builds()).isOne();
    }

    /** What {@code mvn package} leaves. */
    private void builtByHand() throws IOException {
        Path jar = Path.of(lib("")).resolve("godwit.jar");
        Files.createDirectories(jar.getParent());
        Files.writeString(jar, "jar");
        Files.setLastModifiedTime(jar, BUILD_TIME);
    }

    private String lib(String kind) {
        return root + "/broker-dist/target/" + kind + "godwit-1/lib";
    }

    /** The command line of the JVM that a start began. */
    private String started() throws Exception {
        Files.deleteIfExists(home.resolve("started"));
        ProcessBuilder start = new ProcessBuilder(List.of(
                root.resolve("bin/standalone.sh").toString(),
                "start",
                "--data",
                home.resolve("data").toString(),
                "--log",
                home.resolve("log").toString()));
        start.environment().put("PATH", home.resolve("tools") + ":" + System.getenv("PATH"));
        start.environment().remove("JAVA_HOME");
        Path output = home.resolve("output");
        Process process =
                start.redirectErrorStream(true).redirectOutput(output.toFile()).start();
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(home.resolve("started")).as(Files.readString(output)).exists();
        return Files.readString(home.resolve("started"));
    }

    private long builds() throws IOException {
        Path notes = home.resolve("builds");
        return Files.exists(notes) ? Files.readAllLines(notes).size() : 0;
    }

    private Path file(String name, String content) throws IOException {
        Path file = home.resolve(name);
        Files.createDirectories(file.getParent());
        return Files.writeString(file, content);
    }

    private void executable(String name, String body) throws IOException {
        Path file = file("tools/" + name, "#!/bin/sh\n" + body);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
}
