package io.godwit.broker.page;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.text.Normalizer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Relative links of all Markdown files lead to a file that is there, and to a heading in it. A heading that is linked
 * has the same anchor on the site (MkDocs) and where the sources are read (GitHub). It needs no Python;
 * {@code SiteTest} of integration-test builds the site.
 */
class DocumentLinksTest {
    private static final Path ROOT =
            Path.of(System.getProperty("user.dir")).toAbsolutePath().getParent();

    private static final Set<String> MADE = Set.of("target", ".git", "node_modules");

    /** Files of a broker that was started in the source tree. */
    private static final Set<Path> OF_A_RUN =
            Set.of(ROOT.resolve("data"), ROOT.resolve("log"), ROOT.resolve("plugins"));

    private static final Pattern FENCE = Pattern.compile("(?ms)^( *)(```|~~~).*?^\\1\\2 *$");
    private static final Pattern CODE = Pattern.compile("(`+)[^`](?:.|\\n(?!\\n))*?\\1");
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)(?:\\s+\"[^\"]*\")?\\)");
    private static final Pattern HEADING = Pattern.compile("(?m)^#{1,6} +(.+?) *#*$");

    @Test
    void relativeLinksLeadSomewhere() throws IOException {
        List<String> broken = new ArrayList<>();
        int links = 0;
        Map<Path, Anchors> known = new HashMap<>();
        for (Path file : markdown()) {
            Matcher link = LINK.matcher(withoutCode(Files.readString(file)));
            while (link.find()) {
                String target = link.group(1);
                if (target.matches("[a-z]+:.*")) {
                    continue;
                }
                links++;
                fault(file, target, known)
                        .ifPresent(fault -> broken.add(ROOT.relativize(file) + ": " + target + ": " + fault));
            }
        }
        assertThat(broken).isEmpty();
        assertThat(links).isGreaterThan(150);
    }

    @Test
    void whatLeadsNowhereIsFound() throws IOException {
        Path page = ROOT.resolve("docs/tuning.md");

        assertThat(fault(page, "nothing.md", new HashMap<>())).contains("no such file");
        assertThat(fault(page, "api.md#nothing", new HashMap<>())).contains("no such heading");
        assertThat(fault(page, "#nothing", new HashMap<>())).contains("no such heading");
        assertThat(fault(page, "../../elsewhere.md", new HashMap<>())).contains("is outside of the sources");
        assertThat(fault(page, "/docs/api.md", new HashMap<>())).contains("is not relative");
        assertThat(fault(page, "api.md#quick-start", new HashMap<>())).isEmpty();
        assertThat(fault(page, "adr/", new HashMap<>())).isEmpty();
    }

    @Test
    void anchorsAreThoseOfBothReaders() {
        Anchors anchors = Anchors.of("""
                # What a `PUBACK` means, here
                ## A & B
                ## Twice
                ## Twice
                ```
                # no heading
                ```
                """);

        assertThat(anchors.onSite()).containsExactly("what-a-puback-means-here", "a-b", "twice", "twice_1");
        assertThat(anchors.inSources()).containsExactly("what-a-puback-means-here", "a--b", "twice", "twice-1");
    }

    private static Optional<String> fault(Path file, String target, Map<Path, Anchors> known) throws IOException {
        if (target.startsWith("/")) {
            return Optional.of("is not relative");
        }
        int hash = target.indexOf('#');
        String path = hash < 0 ? target : target.substring(0, hash);
        Path found = path.isEmpty() ? file : file.resolveSibling(path).normalize();
        if (!found.startsWith(ROOT)) {
            return Optional.of("is outside of the sources");
        }
        if (!Files.exists(found)) {
            return Optional.of("no such file");
        }
        if (hash < 0) {
            return Optional.empty();
        }
        Anchors anchors = known.get(found);
        if (anchors == null) {
            anchors = Anchors.of(Files.readString(found));
            known.put(found, anchors);
        }
        String anchor = target.substring(hash + 1);
        boolean isOnSite = anchors.onSite().contains(anchor);
        boolean isInSources = anchors.inSources().contains(anchor);
        if (isOnSite && isInSources) {
            return Optional.empty();
        }
        return Optional.of(
                isOnSite || isInSources
                        ? "another anchor on the site than in the sources: give the heading plain words"
                        : "no such heading");
    }

    /**
     * The anchors of a page's headings, in their order.
     *
     * @param onSite as Python-Markdown creates them
     * @param inSources as GitHub creates them
     */
    private record Anchors(List<String> onSite, List<String> inSources) {
        static Anchors of(String page) {
            List<String> onSite = new ArrayList<>();
            List<String> inSources = new ArrayList<>();
            Matcher heading = HEADING.matcher(FENCE.matcher(page).replaceAll(""));
            while (heading.find()) {
                String text = heading.group(1).replaceAll("\\[([^\\]]*)\\]\\([^)]*\\)", "$1");
                String ascii = Normalizer.normalize(text, Normalizer.Form.NFKD).replaceAll("[^\\p{ASCII}]", "");
                addNew(
                        onSite,
                        ascii.replaceAll("[^\\w\\s-]", "")
                                .strip()
                                .toLowerCase(Locale.ROOT)
                                .replaceAll("[-\\s]+", "-"),
                        "_");
                addNew(
                        inSources,
                        text.toLowerCase(Locale.ROOT)
                                .replaceAll("[^\\p{L}\\p{N}_ -]", "")
                                .replace(' ', '-'),
                        "-");
            }
            return new Anchors(onSite, inSources);
        }

        private static void addNew(List<String> anchors, String anchor, String separator) {
            String unique = anchor;
            for (int i = 1; anchors.contains(unique); i++) {
                unique = anchor + separator + i;
            }
            anchors.add(unique);
        }
    }

    private static String withoutCode(String page) {
        return CODE.matcher(FENCE.matcher(page).replaceAll("")).replaceAll("code");
    }

    private static List<Path> markdown() throws IOException {
        List<Path> files = new ArrayList<>();
        Files.walkFileTree(ROOT, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
                return MADE.contains(directory.getFileName().toString()) || OF_A_RUN.contains(directory)
                        ? FileVisitResult.SKIP_SUBTREE
                        : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                if (file.toString().endsWith(".md")) {
                    files.add(file);
                }
                return FileVisitResult.CONTINUE;
            }
        });
        files.sort(null);
        return files;
    }
}
