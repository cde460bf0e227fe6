package io.godwit.broker.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.xpath.XPathFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;

/**
 * {@code release/keep-api.sh} puts the API of a release where the build looks for it. {@code release/check-api.sh} has
 * the rest: that the build refuses an API which does not fit.
 */
class KeptApiTest {
    private static final Path SCRIPT = Path.of("..", "release", "keep-api.sh");
    private static final Path POM = Path.of("..", "plugin-api", "pom.xml");
    private static final String PROFILE = "/project/profiles/profile[id='compared-with-release']";
    private static final String JAPICMP = PROFILE + "/build/plugins/plugin[artifactId='japicmp-maven-plugin']";
    private static final String MODULE = "${project.basedir}/";

    @TempDir
    private Path place;

    private Path script;
    private Path release;

    private record Run(int code, String said) {}

    @BeforeEach
    void copyTheScript() throws Exception {
        script = Files.copy(
                SCRIPT, Files.createDirectories(place.resolve("release")).resolve("keep-api.sh"));
        release = Files.createDirectories(place.resolve("release/target/release"));
    }

    private Run run(String... command) throws Exception {
        Process process =
                new ProcessBuilder(List.of(command)).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return new Run(process.exitValue(), said);
    }

    private void archive(String version, String api) throws Exception {
        Path lib = Files.createDirectories(place.resolve("godwit-" + version).resolve("lib"));
        Files.writeString(lib.resolve("plugin-api-" + version + ".jar"), api);
        Run made = run(
                "tar",
                "-czf",
                release.resolve("godwit-" + version + ".tar.gz").toString(),
                "-C",
                place.toString(),
                "godwit-" + version);
        assertThat(made.code()).as(made.said()).isZero();
    }

    private static String pom(String path) throws Exception {
        Document pom = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(POM.toFile());
        return XPathFactory.newInstance().newXPath().evaluate(path, pom).strip();
    }

    @Test
    void theApiOfTheArchiveIsPutWhereTheBuildLooksForIt() throws Exception {
        String compared = pom(JAPICMP + "/configuration/oldVersion/file/path");
        assertThat(compared).startsWith(MODULE);
        assertThat(pom(PROFILE + "/activation/file/exists"))
                .as("the file that switches the comparison on is the one compared with")
                .isEqualTo(compared.replace(MODULE, "${basedir}/"));
        Path kept = place.resolve("plugin-api").resolve(compared.substring(MODULE.length()));

        archive("1.2.3", "the API");
        Run run = run("bash", script.toString());
        assertThat(run.code()).as(run.said()).isZero();
        assertThat(kept).hasContent("the API");

        Files.delete(release.resolve("godwit-1.2.3.tar.gz"));
        archive("1.3.0", "the next one");
        assertThat(run("bash", script.toString(), release.toString()).said()).contains("1.3.0");
        assertThat(kept).hasContent("the next one");
    }

    @Test
    void theBuildComparesWhatItHasBuiltAndBreaks() throws Exception {
        assertThat(pom(JAPICMP + "/executions/execution[phase='verify']/goals/goal"))
                .isEqualTo("cmp");
        assertThat(pom(JAPICMP + "/configuration/newVersion/file/path"))
                .isEqualTo("${project.build.directory}/${project.build.finalName}.jar");
        String parameter = JAPICMP + "/configuration/parameter";
        assertThat(pom(parameter + "/breakBuildOnBinaryIncompatibleModifications"))
                .isEqualTo("true");
        assertThat(pom(parameter + "/overrideCompatibilityChangeParameters/overrideCompatibilityChangeParameter"
                        + "[compatibilityChange='METHOD_ADDED_TO_INTERFACE']/binaryCompatible"))
                .isEqualTo("false");
        assertThat(pom("count(" + JAPICMP + "//skip)")).isEqualTo("0");
    }

    @Test
    void aSnapshotIsNotKept() throws Exception {
        archive("1.2.3-SNAPSHOT", "the API");
        Run run = run("bash", script.toString());
        assertThat(run.code()).isNotZero();
        assertThat(run.said()).contains("1.2.3-SNAPSHOT is no release");
        assertThat(place.resolve("plugin-api")).doesNotExist();
    }

    @Test
    void withoutOneArchiveNothingIsKept() throws Exception {
        assertThat(run("bash", script.toString()).said()).contains("must have one archive, has 0");
        archive("1.2.3", "the API");
        archive("1.3.0", "the API");
        assertThat(run("bash", script.toString()).said()).contains("must have one archive, has 2");
        assertThat(place.resolve("plugin-api")).doesNotExist();
    }

    @Test
    void anArchiveWithoutTheApiIsNoRelease() throws Exception {
        archive("1.2.3", "the API");
        Files.move(release.resolve("godwit-1.2.3.tar.gz"), release.resolve("godwit-1.2.4.tar.gz"));
        assertThat(run("bash", script.toString()).code()).isNotZero();
        assertThat(place.resolve("plugin-api")).doesNotExist();
    }
}
