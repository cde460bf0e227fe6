package io.godwit.broker.effective;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The comment of each interface that plugins implement says on which thread, at what cost, and what a failure does. */
class PluginCommentsTest {
    private static final Path SOURCES = Path.of(System.getProperty("godwit.root"), "plugin-api", "src", "main", "java");

    /** What the factory of each kind creates. */
    static Stream<Class<?>> kinds() {
        return NamedPlugins.ALL.stream().map(kind -> {
            List<Method> methods = Arrays.stream(kind.type().getDeclaredMethods())
                    .filter(method -> method.getName().equals("create"))
                    .toList();
            assertThat(methods).as("create of %s", kind.type()).hasSize(1);
            return methods.get(0).getReturnType();
        });
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void theCommentSaysThreadCostAndFailure(Class<?> kind) throws IOException {
        String source = Files.readString(SOURCES.resolve(kind.getName().replace('.', '/') + ".java"));
        for (String label : List.of("Thread", "Cost", "Failure")) {
            assertThat(comment(source, kind.getSimpleName())).containsPattern("<p><b>" + label + ":</b> [^<]{20}");
        }
    }

    @Test
    void theCommentIsThatOfTheInterface() {
        String source = """
                /** Another one. */
                record Other() {}

                /**
                 * Does it. <b>Cost:</b> none.
                 */
                @FunctionalInterface
                public interface Doer {
                    /** <b>Thread:</b> any. */
                    void act();
                }
                """;
        assertThat(comment(source, "Doer")).contains("Does it", "Cost").doesNotContain("Another", "Thread");
    }

    private static String comment(String source, String name) {
        int declared = source.indexOf("\npublic interface " + name);
        int end = source.lastIndexOf("*/", declared);
        int begin = source.lastIndexOf("/**", end);
        assertThat(declared).as("the interface %s", name).isNotNegative();
        assertThat(begin).as("a comment of %s", name).isNotNegative();
        assertThat(source.substring(end + 2, declared).strip())
                .as("between the comment and the interface")
                .isIn("", "@FunctionalInterface");
        return source.substring(begin, end);
    }
}
