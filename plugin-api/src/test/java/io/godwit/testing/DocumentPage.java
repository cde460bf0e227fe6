package io.godwit.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A Markdown page of the sources with its blocks of code: lines that are indented by four columns, or stand in a fence.
 *
 * @param name from the root of the sources
 * @param text all of it
 * @param blocks in their order
 */
public record DocumentPage(String name, String text, List<Block> blocks) {
    private static final Path ROOT = Path.of(System.getProperty("godwit.root"));

    private static final String FENCE = "```";
    private static final String INDENTATION = "    ";

    /** Pages with measurements of the past: their commands need not fit the programs of today. */
    private static final Set<String> OF_THE_PAST = Set.of("docs/performance-log.md");

    /** What the content of a block is, as its first line that is no comment shows. */
    public enum Kind {
        /** Lines that are pasted into a shell, or such lines with what they print. */
        SHELL,
        YAML,
        /** Lines of a file of rules. */
        RULES,
        OTHER
    }

    /**
     * A block of code.
     *
     * @param page its name
     * @param line the first one, from 1
     * @param language what the fence says; empty for an indented block
     * @param text without the four columns and without the fence
     */
    public record Block(String page, int line, String language, String text) {
        /** Programs that pages name, besides scripts of ours. */
        private static final String PROGRAMS = "apt|b64|base64|cd|curl|docker|export|for|head|helm|jar|javac|kill"
                + "|kubectl|mosquitto_pub|mosquitto_sub|mvn|openssl|python3|sysctl|systemctl";

        /** A prompt, variables, or nothing, then a program. */
        private static final Pattern SHELL =
                Pattern.compile("(\\$ )?([A-Z_]+=\\S* )*(bin/|release/|helm/|\\.ci/|godwit-|(" + PROGRAMS + ") ).*");

        private static final Pattern YAML = Pattern.compile("(- .*|[A-Za-z][A-Za-z0-9_-]*:( .*)?)");
        private static final Pattern RULE = Pattern.compile("(allow|deny) (publish|subscribe|all) .*");

        /** The file and the line, to be found by a reader. */
        public String place() {
            return page + ":" + line;
        }

        /** Without the columns that all its lines are indented by, as in a list. */
        public String stripped() {
            return text.stripTrailing().stripIndent() + "\n"; // an end of line would stop it from stripping anything
        }

        /** Whether it begins so, without the columns that all its lines are indented by. */
        public boolean beginsWith(String beginning) {
            return stripped().strip().startsWith(beginning);
        }

        public Kind kind() {
            if (!language.isEmpty()) {
                return Kind.OTHER;
            }
            String first = text.lines()
                    .map(String::strip)
                    .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                    .findFirst()
                    .orElse("");
            if (SHELL.matcher(first).matches()) {
                return Kind.SHELL;
            }
            if (RULE.matcher(first).matches()) {
                return Kind.RULES;
            }
            return YAML.matcher(first).matches() ? Kind.YAML : Kind.OTHER;
        }
    }

    /** @param name from the root of the sources, such as {@code docs/secure.md} */
    public static DocumentPage read(String name) throws IOException {
        String text = Files.readString(ROOT.resolve(name));
        return new DocumentPage(name, text, blocks(name, text.lines().toList()));
    }

    /** The pages for users: README, the pages of the site, and those of the examples. Without decisions. */
    public static List<DocumentPage> all() throws IOException {
        List<DocumentPage> pages = new ArrayList<>(List.of(read("README.md")));
        for (String directory : List.of("docs", "docs/examples")) {
            try (Stream<Path> found = Files.walk(ROOT.resolve(directory), directory.equals("docs") ? 1 : 2)) {
                found.map(file -> ROOT.relativize(file).toString())
                        .filter(name -> name.endsWith(".md") && !OF_THE_PAST.contains(name))
                        .sorted()
                        .forEach(name -> pages.add(readUnchecked(name)));
            }
        }
        return List.copyOf(pages);
    }

    /** The blocks of these pages of one kind. */
    public static List<Block> blocks(List<DocumentPage> pages, Kind kind) {
        return pages.stream()
                .flatMap(page -> page.blocks().stream())
                .filter(block -> block.kind() == kind)
                .toList();
    }

    private static DocumentPage readUnchecked(String name) {
        try {
            return read(name);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<Block> blocks(String name, List<String> lines) {
        List<Block> blocks = new ArrayList<>();
        int at = 0;
        while (at < lines.size()) {
            String line = lines.get(at);
            boolean isFence = line.startsWith(FENCE);
            if (!isFence && !isIndented(line)) {
                at++;
                continue;
            }
            int first = isFence ? at + 1 : at;
            int end = first;
            while (end < lines.size() && (isFence ? !lines.get(end).startsWith(FENCE) : isIndented(lines.get(end)))) {
                end++;
            }
            StringBuilder text = new StringBuilder();
            for (String each : lines.subList(first, end)) {
                text.append(isFence ? each : each.substring(INDENTATION.length()))
                        .append('\n');
            }
            String language = isFence ? line.substring(FENCE.length()).strip() : "";
            blocks.add(new Block(name, first + 1, language, text.toString()));
            at = isFence ? end + 1 : end;
        }
        return List.copyOf(blocks);
    }

    private static boolean isIndented(String line) {
        return line.startsWith(INDENTATION) && !line.isBlank();
    }
}
