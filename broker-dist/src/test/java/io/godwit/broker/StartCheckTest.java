package io.godwit.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StartCheckTest {
    @TempDir
    private Path directory;

    private List<String> errors(String configuration) throws Exception {
        Path file = Files.writeString(directory.resolve("standalone.yml"), configuration);
        return StartCheck.errors(ConfigLoader.load(file, Map.of()), directory.resolve("plugins"));
    }

    @Test
    void whatWouldStartIsRight() throws Exception {
        assertThat(errors("")).isEmpty();
        assertThat(errors("authConfig: {provider: allow-all}")).isEmpty();
        Files.writeString(directory.resolve("passwd"), "# nobody\n");
        assertThat(errors("authConfig: {provider: file}")).isEmpty();
    }

    @Test
    void mistakesInEveryFileAreTold() throws Exception {
        Files.writeString(directory.resolve("passwd"), "ann\n");
        Files.writeString(directory.resolve("rules"), "allow everything\n");
        assertThat(errors("""
                        authConfig: {provider: file, aclFile: rules}
                        storeConfig: {inbox: {balancers: [no-such]}}
                        """))
                .hasSize(3)
                .anySatisfy(error -> assertThat(error).contains("storeConfig.inbox.balancers", "no-such"))
                .anySatisfy(error -> assertThat(error).contains("passwd: line 1"))
                .anySatisfy(error -> assertThat(error).contains("rules: line 1"));
    }

    @Test
    void missingFilesAreNamedAndHowToMakeThem() throws Exception {
        String passwords = directory.resolve("passwd").toString();
        assertThat(errors("authConfig: {provider: file, aclFile: rules}"))
                .containsExactly(
                        passwords + ": there is no such file; \"bin/godwit-passwd --file " + passwords
                                + " add NAME\" makes it",
                        directory.resolve("rules") + ": there is no such file");
    }

    /** It is looked for, but not made: it might open what the one that runs holds. */
    @Test
    void aPluginIsFoundAndNotStarted() throws Exception {
        assertThat(errors("authConfig: {provider: broken}")).isEmpty();
        assertThat(errors("authConfig: {provider: ldap}"))
                .singleElement()
                .satisfies(error -> assertThat(error).contains("\"ldap\"", "for-the-test"));
        Files.createDirectory(directory.resolve("plugins"));
        Files.writeString(directory.resolve("plugins/broken.jar"), "not a jar");
        assertThat(errors(""))
                .singleElement()
                .satisfies(error -> assertThat(error).contains("broken.jar cannot be read"));
    }
}
