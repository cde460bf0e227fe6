package io.godwit.broker.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.broker.conformance.ClauseTags.Tag;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Every statement of MQTT that binds a server has a test, and {@code docs/conformance.md} says which. After a change of
 * tags run {@code mvn -Dquick -Dconformance.update -pl broker-dist -am test -Dtest=ConformanceTest}, which writes the
 * page anew.
 */
class ConformanceTest {
    private static final Map<String, String> VERSIONS = versions();

    private final Path root = Path.of(System.getProperty("godwit.root", ".."));
    private final List<Tag> tags = ClauseTags.below(root);
    private final Map<String, String> pending = Statement.pending();

    ConformanceTest() throws IOException {}

    private static Map<String, String> versions() {
        Map<String, String> versions = new LinkedHashMap<>();
        versions.put("mqtt5", "MQTT 5.0");
        versions.put("mqtt311", "MQTT 3.1.1");
        versions.put("mqtt31", "MQTT 3.1");
        return versions;
    }

    private static Map<String, Statement> statements() throws IOException {
        Map<String, Statement> statements = new LinkedHashMap<>();
        for (String version : VERSIONS.keySet()) {
            for (Statement statement : Statement.ofVersion(version)) {
                assertThat(statements.put(statement.id(), statement))
                        .as("another %s", statement.id())
                        .isNull();
            }
        }
        return statements;
    }

    @Test
    void everyTagNamesAStatement() throws IOException {
        Map<String, Statement> statements = statements();
        assertThat(tags).allSatisfy(tag -> {
            assertThat(statements).as("%s", tag).containsKey(tag.clause());
            assertThat(tag.isTest()).as("%s is on a test that runs", tag).isTrue();
        });
    }

    @Test
    void everyStatementForServersHasATest() throws IOException {
        Set<String> tested = tags.stream().map(Tag::clause).collect(Collectors.toSet());
        Set<String> untested = new TreeSet<>();
        for (Statement statement : statements().values()) {
            if (statement.needsTest() && !tested.contains(statement.id()) && !pending.containsKey(statement.id())) {
                untested.add(statement.id() + " " + statement.claim());
            }
        }
        assertThat(untested).as("statements without a test").isEmpty();
    }

    @Test
    void whatIsPendingHasNoTestYet() throws IOException {
        Map<String, Statement> statements = statements();
        pending.forEach((id, feature) -> {
            System.out.println("conformance: pending " + id + " (" + feature + ")");
            assertThat(statements).containsKey(id);
        });
        assertThat(tags)
                .as("tests of what is pending: take it out of pending.tsv")
                .filteredOn(tag -> pending.containsKey(tag.clause()))
                .isEmpty();
    }

    @Test
    void thePageIsUpToDate() throws IOException {
        String page = page();
        Path file = root.resolve("docs/conformance.md");
        if (System.getProperty("conformance.update") != null) {
            Files.writeString(file, page);
        }
        assertThat(file)
                .as("docs/conformance.md; written by -Dconformance.update")
                .hasContent(page);
    }

    private String page() throws IOException {
        Map<String, Set<String>> tests = new TreeMap<>();
        Map<String, Path> classes = new TreeMap<>();
        for (Tag tag : tags) {
            tests.computeIfAbsent(tag.clause(), id -> new TreeSet<>()).add(tag.test());
            assertThat(classes.merge(tag.className(), tag.file(), (a, b) -> a))
                    .as("classes of one name")
                    .isEqualTo(tag.file());
        }
        StringBuilder page = new StringBuilder("""
            # Conformance

            Written by the build from the `@Clause` annotations of the tests; a statement that binds a server and \
            has no test
            fails the build. The claims are a reminder in our own words, the standard is what counts.
            `mvn -Dquick -Dconformance.update -pl broker-dist -am test -Dtest=ConformanceTest` writes this page anew.

            The tests of integration-test's `conformance` package run over TCP and over WebSocket with TLS; with
            `-Plong` also over TLS and over WebSocket alone. Those that wait for seconds to pass run over TCP, with
            `-Plong` over WebSocket with TLS, too.

            Bound: whom the statement binds. A rule for clients counts as one for both where the server has to \
            answer its breach;
            what binds clients alone needs no test here.
            """);
        for (Map.Entry<String, String> version : VERSIONS.entrySet()) {
            page.append("\n## ").append(version.getValue()).append("\n\n");
            if (version.getKey().equals("mqtt31")) {
                page.append("MQTT 3.1 has no numbered statements; these are its rules for a server, by section.\n\n");
            }
            page.append("| statement | bound | claim | tests |\n|---|---|---|---|\n");
            for (Statement statement : Statement.ofVersion(version.getKey())) {
                String feature = pending.get(statement.id());
                String evidence = feature != null
                        ? "pending: " + feature
                        : String.join("<br>", tests.getOrDefault(statement.id(), Set.of()));
                page.append("| ")
                        .append(statement.id())
                        .append(" | ")
                        .append(statement.bound().name().toLowerCase(Locale.ROOT))
                        .append(" | ")
                        .append(statement.claim())
                        .append(" | ")
                        .append(evidence)
                        .append(" |\n");
            }
        }
        page.append("\n## Where the tests are\n\n");
        classes.forEach((name, file) -> page.append("- [")
                .append(name)
                .append("](../")
                .append(file.toString().replace('\\', '/'))
                .append(")\n"));
        return page.toString();
    }
}
