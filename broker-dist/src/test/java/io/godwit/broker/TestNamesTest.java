package io.godwit.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Surefire finds tests by the names of their classes: a class with another name is never run, and nobody notices. */
class TestNamesTest {
    private static final Path ROOT =
            Path.of(System.getProperty("user.dir")).toAbsolutePath().getParent();

    private static final Pattern TEST =
            Pattern.compile("(?m)^ +@(Test|ParameterizedTest|RepeatedTest|TestFactory|Property)\\b");
    private static final Pattern ABSTRACT = Pattern.compile("(?m)^(public )?abstract class ");

    /** They judge a file that the user names, and are run by hand. */
    private static final Set<String> BY_HAND = Set.of(
            "integration-test/src/test/java/io/godwit/it/crash/HistoryCheck.java",
            "integration-test/src/test/java/io/godwit/it/kv/history/HistoryCheck.java");

    @Test
    void classesWithTestsAreFound() throws IOException {
        List<String> byHand = new ArrayList<>();
        List<String> lost = new ArrayList<>();
        int found = 0;
        for (Path source : sources()) {
            String name = ROOT.relativize(source).toString();
            String text = Files.readString(source);
            if (!isLost(source.getFileName().toString(), text)) {
                found++;
            } else if (BY_HAND.contains(name)) {
                byHand.add(name);
            } else {
                lost.add(name);
            }
        }
        assertThat(lost).isEmpty();
        assertThat(byHand).containsExactlyInAnyOrderElementsOf(BY_HAND);
        assertThat(found).isGreaterThan(500);
    }

    @Test
    void aClassWithAnotherNameIsNoticed() {
        String text = "class %s {\n    @Property(tries = 400)\n    void holds() {}\n}\n";
        assertThat(isLost("IndexProperties.java", text)).isTrue();
        assertThat(isLost("IndexTest.java", text)).isFalse();
        assertThat(isLost("IndexContract.java", "abstract " + text)).isFalse();
        assertThat(isLost("IndexFixture.java", "class IndexFixture {}\n")).isFalse();
    }

    private static boolean isLost(String fileName, String text) {
        return TEST.matcher(text).find()
                && !fileName.endsWith("Test.java")
                && !ABSTRACT.matcher(text).find();
    }

    private static List<Path> sources() throws IOException {
        List<Path> sources = new ArrayList<>();
        try (Stream<Path> modules = Files.list(ROOT)) {
            for (Path module : modules.toList()) {
                Path tests = module.resolve("src/test/java");
                if (Files.isDirectory(tests)) {
                    try (Stream<Path> files = Files.walk(tests)) {
                        files.filter(file -> file.toString().endsWith(".java")).forEach(sources::add);
                    }
                }
            }
        }
        return sources;
    }
}
