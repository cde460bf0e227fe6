package io.godwit.broker.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.broker.config.key.ConfigKey;
import io.godwit.broker.config.key.Given;
import io.godwit.broker.config.key.OpenSection;
import io.godwit.broker.config.key.OpenSections;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Sections whose keys are defined elsewhere. */
@Timeout(30)
class OpenSectionsTest {
    /** The form of the files in these tests. */
    public record TestFile(
            @ConfigKey(value = "true") boolean flag,
            @OpenSections(text = "Of others.") Map<String, OpenSection> plugins) {}

    public record NoProperties() {}

    @TempDir
    Path directory;

    private Loaded<TestFile, NoProperties> load(String yaml, Map<String, String> environment) throws IOException {
        Path file = Files.writeString(directory.resolve("test.yml"), yaml);
        return new ConfigSources<>(TestFile.class, NoProperties.class, Set.of(), Set.of())
                .load(file, Map.of(), environment);
    }

    @Test
    void valuesAreTakenAsTheyStand() throws Exception {
        Loaded<TestFile, NoProperties> loaded = load("""
                plugins:
                  ldap:
                    url: ldap://x
                    empty:
                    tls:
                      caFile: ca.pem
                    names: [a, b]
                    password: ${SECRET}
                  bare:
                """, Map.of("SECRET", "s3cret"));
        assertThat(loaded.errors()).isEmpty();
        OpenSection ldap = loaded.file().plugins().get("ldap");
        assertThat(ldap).isNotNull();
        assertThat(ldap.path()).isEqualTo("plugins.ldap");
        assertThat(ldap.values().keySet()).containsExactly("url", "tls.caFile", "names", "password");
        assertThat(ldap.values().values().stream().map(Given::text))
                .containsExactly("ldap://x", "ca.pem", "a\nb", "s3cret");
        assertThat(loaded.file().plugins()).containsKey("bare");
        assertThat(loaded.effective().toString() + loaded.file()).doesNotContain("s3cret", "ldap://x");
        assertThat(loaded.effective()).anyMatch(each -> each.path().equals("plugins.ldap.tls.caFile"));
    }

    @Test
    void whatIsNoSectionIsToldWithItsLine() throws Exception {
        assertThat(load("plugins: {ldap: 7, '': {}, two: {x: [{y: 1}], z: \"${NOT_SET}\"}, two: {}}", Map.of())
                        .errors())
                .hasSize(5)
                .allMatch(error -> error.startsWith("plugins"))
                .allMatch(error -> error.contains("line 1"));
        assertThat(load("plugins: 7", Map.of()).errors()).hasSize(1);
        assertThat(load("plugin: {x: {y: 1}}", Map.of()).errors())
                .singleElement()
                .asString()
                .contains("nearest valid one is plugins");
        assertThat(load("plugins: {}\nflag: true\n", Map.of("GODWIT_PLUGINS_X_Y", "1"))
                        .errors())
                .hasSize(1);
    }

    /** Aliases may make a YAML node occur many times, and inside itself. */
    @Test
    void aFileWithoutAnEndIsBounded() throws Exception {
        assertThat(load("plugins: {a: &a {b: *a}}", Map.of()).errors())
                .singleElement()
                .asString()
                .contains("too deep");
        StringBuilder yaml = new StringBuilder("plugins:\n  a0: &a0 {x: 1, y: 2}\n");
        for (int i = 1; i <= 20; i++) {
            yaml.append("  a%d: &a%d {p: *a%d, q: *a%d}\n".formatted(i, i, i - 1, i - 1));
        }
        assertThat(load(yaml.toString(), Map.of()).errors()).hasSizeBetween(1, 2_000);
    }
}
