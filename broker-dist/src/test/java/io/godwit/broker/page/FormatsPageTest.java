package io.godwit.broker.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.link.message.LinkVersions;
import io.godwit.cluster.link.message.VersionRange;
import io.godwit.testing.DocumentPage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** {@code docs/formats.md} has each format of the sources, with its version. */
class FormatsPageTest {
    private static final Path ROOT = Path.of(System.getProperty("godwit.root"));

    /** A constant of a class with the version of a format; one has another name, since it is a kind as well. */
    private static final Pattern CONSTANT = Pattern.compile(
            "(?m)^ {4}(?:[a-z]+ )*(?:byte|int) ([A-Z_]*(?:VERSION|FORMAT|LAYOUT)[A-Z_]*|KIND) = ([0-9]+);");

    private static final Pattern ROW =
            Pattern.compile("(?m)^\\| .* \\| `([A-Za-z]+\\.[A-Z_]+)` \\| ([0-9]+(?: to [0-9]+)?) \\|$");

    /** The kind of a record that has the layout, and no version. */
    private static final String NO_VERSION = "SharedLogFormat.KIND_LAYOUT";

    @Test
    void eachVersionOfTheSourcesIsOnThePage() throws IOException {
        Map<String, String> expected = ofTheSources();
        assertThat(expected.remove(NO_VERSION)).isNotNull();
        VersionRange frames = LinkVersions.CURRENT.payload();
        expected.put("LinkVersions.CURRENT", frames.least() + " to " + frames.most());

        assertThat(ofThePage()).isEqualTo(expected);
    }

    @Test
    void theConstantsAreFound() {
        assertThat(ofSource("A", "    public static final byte NEXT_VERSION = 12;\n"))
                .containsEntry("A.NEXT_VERSION", "12");
        assertThat(ofSource("A", "    int FORMAT = 1;\n")).containsEntry("A.FORMAT", "1");
        assertThat(ofSource("A", "    static final String VERSION = \"13\";\n        int VERSION = 1;\n"))
                .isEmpty();
    }

    private static Map<String, String> ofTheSources() throws IOException {
        Map<String, String> found = new TreeMap<>();
        try (Stream<Path> modules = Files.list(ROOT)) {
            for (Path sources : modules.map(module -> module.resolve("src/main/java"))
                    .filter(Files::isDirectory)
                    .toList()) {
                try (Stream<Path> files = Files.walk(sources)) {
                    for (Path file : files.filter(each -> each.toString().endsWith(".java"))
                            .toList()) {
                        String name = String.valueOf(file.getFileName()).replace(".java", "");
                        Map<String, String> added = ofSource(name, Files.readString(file));
                        assertThat(found)
                                .as("no two classes have the same name")
                                .doesNotContainKeys(added.keySet().toArray(String[]::new));
                        found.putAll(added);
                    }
                }
            }
        }
        return found;
    }

    private static Map<String, String> ofSource(String name, String source) {
        Map<String, String> found = new TreeMap<>();
        Matcher constants = CONSTANT.matcher(source);
        while (constants.find()) {
            found.put(name + "." + constants.group(1), constants.group(2));
        }
        return found;
    }

    private static Map<String, String> ofThePage() throws IOException {
        Map<String, String> found = new TreeMap<>();
        Matcher rows = ROW.matcher(DocumentPage.read("docs/formats.md").text());
        while (rows.find()) {
            assertThat(found.put(rows.group(1), rows.group(2)))
                    .as("two rows: %s", rows.group(1))
                    .isNull();
        }
        return found;
    }
}
