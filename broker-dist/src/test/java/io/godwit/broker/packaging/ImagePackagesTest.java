package io.godwit.broker.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which versions of Debian's packages the image gets: {@code release/image/fetch-packages}, with stand-ins for apt. */
class ImagePackagesTest {
    private static final Path SCRIPT = Path.of("..", "release", "image", "fetch-packages");

    @TempDir
    private Path place;

    /** What the archive of Debian has: {@code bash_5.2.deb}. */
    private Path archive;

    private Path names;
    private int fetches;

    private record Run(int code, String printed, String said) {}

    @BeforeEach
    void installStandIns() throws Exception {
        archive = Files.createDirectory(place.resolve("archive"));
        names = Files.writeString(place.resolve("names"), "# those of the image\nsed\nbash\n");
        // A name without a version is the newest: the last one.
        install("apt-get", """
                while [ "$1" != download ]; do shift; done
                shift
                for name; do
                  case $name in
                    *=*) from=%1$s/${name%%%%=*}_${name#*=}.deb ;;
                    *) from=$(ls %1$s/"$name"_* | tail -n 1) ;;
                  esac
                  cp "$from" . || exit 100
                done
                """.formatted(archive));
        install("dpkg-deb", """
                while [ $# -gt 1 ]; do shift; done
                file=${1##*/}
                version=${file#*_}
                printf '%s %s amd64' "${file%%_*}" "${version%.deb}"
                """);
        publish("bash", "5.1", "old bash");
        publish("bash", "5.2", "bash");
        publish("sed", "4.9", "sed");
    }

    private void install(String name, String body) throws IOException {
        Path program = Files.createDirectories(place.resolve("bin")).resolve(name);
        Files.writeString(program, "#!/usr/bin/env bash\n" + body);
        assertThat(program.toFile().setExecutable(true)).isTrue();
    }

    private void publish(String name, String version, String content) throws IOException {
        Files.writeString(archive.resolve(name + "_" + version + ".deb"), content);
    }

    private Run fetch(String... stated) throws Exception {
        List<String> command = new ArrayList<>(
                List.of("bash", SCRIPT.toString(), names.toString(), place.resolve("fetched" + fetches++) + ""));
        command.addAll(List.of(stated));
        Path said = place.resolve("said");
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(said.toFile());
        builder.environment().put("PATH", place.resolve("bin") + ":/usr/bin:/bin");
        Process process = builder.start();
        String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return new Run(process.exitValue(), printed, Files.readString(said));
    }

    private String stated() throws Exception {
        Run run = fetch();
        assertThat(run.code()).as(run.said()).isZero();
        return Files.writeString(place.resolve("stated"), run.printed()).toString();
    }

    @Test
    void theVersionsAndContentsAreStated() throws Exception {
        Run run = fetch();
        assertThat(run.code()).as(run.said()).isZero();
        assertThat(run.printed().lines().map(line -> line.replaceFirst("[0-9a-f]{64}$", "SUM")))
                .containsExactly("bash 5.2 amd64 SUM", "sed 4.9 amd64 SUM");
    }

    @Test
    void whatWasStatedIsFetchedAgainAlthoughThereIsANewerVersion() throws Exception {
        String stated = stated();
        publish("bash", "5.3", "newer bash");
        Run run = fetch(stated);
        assertThat(run.code()).as(run.said()).isZero();
        assertThat(run.printed()).isEqualTo(Files.readString(Path.of(stated))).contains("bash 5.2 amd64");
        assertThat(fetch().printed()).contains("bash 5.3 amd64");
    }

    @Test
    void aVersionThatIsGoneOrHasAnotherContentFails() throws Exception {
        String stated = stated();
        publish("bash", "5.2", "another bash");
        Run other = fetch(stated);
        assertThat(other.code()).isEqualTo(1);
        assertThat(other.said()).contains("-bash 5.2 amd64", "+bash 5.2 amd64", "these are other packages");
        assertThat(other.printed()).isEmpty();

        Files.delete(archive.resolve("bash_5.2.deb"));
        assertThat(fetch(stated).code()).isNotZero();
    }

    @Test
    void aPackageThatIsNotStatedFails() throws Exception {
        String stated = stated();
        publish("grep", "3.8", "grep");
        Files.writeString(names, "bash\ngrep\nsed\n");
        Run run = fetch(stated);
        assertThat(run.code()).isEqualTo(1);
        assertThat(run.said()).contains("no version of grep");
    }
}
