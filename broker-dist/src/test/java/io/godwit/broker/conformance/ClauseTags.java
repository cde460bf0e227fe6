package io.godwit.broker.conformance;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The {@code @Clause} annotations in the test sources of all modules. Read from the sources, so that no module need be
 * built for it.
 */
final class ClauseTags {
    /**
     * One id on one method.
     *
     * @param file relative to the root of the project
     * @param isTest whether the method is a test that runs with every build, or hands one its rows and has one that
     *     names the clause
     */
    record Tag(String clause, Path file, String method, boolean isTest) {
        String className() {
            String name = file.getFileName().toString();
            return name.substring(0, name.length() - ".java".length());
        }

        String test() {
            return className() + "." + method;
        }
    }

    private static final Pattern ANNOTATION = Pattern.compile("@Clause\\(\\s*(?:\\{([^}]*)}|(\"[^\"]*\"))\\s*\\)");
    private static final Pattern ID = Pattern.compile("\"([^\"]*)\"");
    private static final Pattern METHOD =
            Pattern.compile("^    (?:(?:public|private|static|final) )*[\\w<>?, .]+ (\\w+)\\(", Pattern.MULTILINE);
    private static final Pattern RUNS =
            Pattern.compile("@(?:Test|Property|Example|ParameterizedTest|RepeatedTest|TestFactory)\\b");
    private static final Pattern ROWS = Pattern.compile("^    static Stream<", Pattern.MULTILINE);
    private static final Pattern DISABLED = Pattern.compile("@(?:Disabled|Tag\\(\"(?:full|long)\"\\))");
    private static final Pattern CLASS = Pattern.compile("^(?:(?:public|abstract|final) )*class ", Pattern.MULTILINE);

    private ClauseTags() {}

    static List<Tag> below(Path root) throws IOException {
        List<Tag> tags = new ArrayList<>();
        try (Stream<Path> modules = Files.list(root)) {
            for (Path module : modules.sorted().toList()) {
                Path tests = module.resolve("src/test/java");
                if (Files.isDirectory(tests)) {
                    try (Stream<Path> files = Files.walk(tests)) {
                        for (Path file : files.filter(f -> f.toString().endsWith(".java"))
                                .sorted()
                                .toList()) {
                            addTags(tags, root.relativize(file), Files.readString(file));
                        }
                    }
                }
            }
        }
        return tags;
    }

    static void addTags(List<Tag> tags, Path file, String source) {
        if (!source.contains("import io.godwit.conformance.Clause;")) {
            return;
        }
        boolean classRuns = !DISABLED.matcher(headOf(source)).find();
        Matcher annotation = ANNOTATION.matcher(source);
        while (annotation.find()) {
            Matcher method = METHOD.matcher(source);
            if (!method.find(annotation.end())) {
                throw new IllegalStateException(file + ": no method behind " + annotation.group());
            }
            // the method's annotations are between the end of the previous member and its name
            int begin = Math.max(
                    source.lastIndexOf("\n\n", annotation.start()), source.lastIndexOf("*/", annotation.start()));
            String declaration = source.substring(Math.max(0, begin), method.end());
            boolean isSwitchedOn = classRuns && !DISABLED.matcher(declaration).find();
            boolean runs = RUNS.matcher(declaration).find();
            boolean hasRows = ROWS.matcher(declaration).find();
            String body = source.substring(method.end(), source.indexOf("\n    }\n", method.end()));
            Matcher id = ID.matcher(annotation.group());
            while (id.find()) {
                boolean isTest = isSwitchedOn && (runs || hasRows && names(body, id.group(1)));
                tags.add(new Tag(id.group(1), file, method.group(1), isTest));
            }
        }
    }

    /** Whether a row begins with the whole id, since the number alone is another clause in another version. */
    private static boolean names(String rows, String clause) {
        return Pattern.compile("\"(?:MQTT\\S+ )*" + Pattern.quote(clause) + "[ \"]")
                .matcher(rows)
                .find();
    }

    /** The text before the class, including its annotations. */
    private static String headOf(String source) {
        Matcher declaration = CLASS.matcher(source);
        if (!declaration.find()) {
            throw new IllegalStateException("no class in: " + source);
        }
        return source.substring(0, declaration.start());
    }
}
