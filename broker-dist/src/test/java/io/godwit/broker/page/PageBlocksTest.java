package io.godwit.broker.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.testing.DocumentPage;
import io.godwit.testing.DocumentPage.Block;
import io.godwit.testing.DocumentPage.Kind;
import io.godwit.testing.PageCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Each block of the pages is checked by a test, or stands here with the reason. {@code PageConfigurationTest} reads
 * YAML and rules; {@code PageCommandsTest}, {@code PageRequestsTest} and, in perf, {@code PerfPagesTest} check shell
 * lines; {@code PastedPagesTest} of integration-test runs those that one machine can run.
 */
class PageBlocksTest {
    private static final Path ROOT = Path.of(System.getProperty("godwit.root"));

    /** A script of ours, or a program that its user has built or unpacked. */
    private static final Pattern SCRIPT = Pattern.compile("(bin|release|helm|\\.ci)/[a-z/-]+(\\.sh)?");

    private static final Pattern ITEM = Pattern.compile("([-*]|\\d+\\.) .*");
    private static final Pattern EIGHT_COLUMNS = Pattern.compile(" {8}\\S.*");

    /**
     * A block that no test reads.
     *
     * @param beginning of the block, without its indentation
     */
    private record Unread(String page, String beginning, String reason) {}

    private static final List<Unread> UNREAD = List.of(
            new Unread("docs/api.md", "{\"type\": \"urn:godwit:problem:", "an answer of the API"),
            new Unread("docs/authentication.md", "\"acl\": {", "a claim of a token"),
            new Unread("docs/authentication.md", "{\"check\": \"connect\"", "a request of the broker"),
            new Unread("docs/authentication.md", "{\"check\": \"publish\"", "requests of the broker"),
            new Unread("docs/cli.md", "usage: standalone.sh", "what the script prints; see CommandPageTest"),
            new Unread("docs/configuration.md", "random          any", "a table of values"),
            new Unread("docs/configuration.md", "publish, subscribe, all ", "a table of the words of an entry"),
            new Unread("docs/examples/auth-provider/README.md", "java -cp target/", "ExamplePluginsTest runs it"),
            new Unread("docs/examples/tenant-settings/README.md", "birds.maxConn", "ExamplesTest writes such a file"),
            new Unread("docs/operations.md", "[Unit]", "a unit of systemd"),
            new Unread("docs/operations.md", "[Service]", "a unit of systemd; its commands are checked"),
            new Unread("docs/operations.md", "[Install]", "a unit of systemd"),
            new Unread("docs/plugins.md", "public final class Directory", "an excerpt; ExamplesTest compiles plugins"),
            new Unread("docs/plugins.md", "public final class Plans implements TenantSettings", "an excerpt, as above"),
            new Unread("docs/plugins.md", "public final class Plans implements ResourceThrottler", "the same"),
            new Unread("docs/security.md", "(allow|deny) (publish|subscribe|all)", "the grammar of rules"),
            new Unread("docs/sessions.md", "publisher --> node A", "a drawing"),
            new Unread("docs/tuning.md", "# /etc/security/limits.conf", "a file of the operating system"),
            new Unread("docs/tuning.md", "# systemd, in the unit", "a unit of systemd"));

    @Test
    void eachBlockIsOfAKindThatATestReadsOrSaysWhyNot() throws IOException {
        List<String> unknown = new ArrayList<>();
        List<Unread> left = new ArrayList<>(UNREAD);
        for (Block block : DocumentPage.blocks(DocumentPage.all(), Kind.OTHER)) {
            boolean isKnown =
                    left.removeIf(each -> block.page().equals(each.page()) && block.beginsWith(each.beginning()));
            if (!isKnown) {
                unknown.add(block.place() + ": " + block.text());
            }
        }

        assertThat(unknown).isEmpty();
        assertThat(left).as("blocks that are no longer there").isEmpty();
        assertThat(UNREAD).extracting(Unread::reason).doesNotContain("");
    }

    /** On the site a block within a list needs eight columns; with fewer its lines run together as a paragraph. */
    @Test
    void blocksWithinListsAreIndentedAsTheSiteNeedsThem() throws IOException {
        assertThat(misplaced("1. Do this:\n\n       bin/standalone.sh start\n\n2. Then that\n"))
                .containsExactly("       bin/standalone.sh start");
        assertThat(misplaced("1. Do this:\n\n        bin/standalone.sh start\n"))
                .isEmpty();
        assertThat(misplaced("text\n\n    a:\n\n      b: c\n")).isEmpty();

        for (DocumentPage page : DocumentPage.all()) {
            assertThat(misplaced(page.text())).as(page.name()).isEmpty();
        }
    }

    /** First lines of blocks that follow an item of a list and have another indentation than eight columns. */
    private static List<String> misplaced(String text) {
        List<String> found = new ArrayList<>();
        String paragraph = "";
        boolean isAfterBlank = false;
        for (String line : text.lines().toList()) {
            if (line.isBlank()) {
                isAfterBlank = true;
                continue;
            }
            boolean isFirst = isAfterBlank && line.startsWith("    ");
            if (isFirst
                    && ITEM.matcher(paragraph).matches()
                    && !EIGHT_COLUMNS.matcher(line).matches()) {
                found.add(line);
            }
            if (isAfterBlank || ITEM.matcher(line).matches()) {
                paragraph = line;
            }
            isAfterBlank = false;
        }
        return found;
    }

    @Test
    void theKindOfABlockIsSeen() {
        assertThat(kind("$ bin/godwit-admin members\n")).isEqualTo(Kind.SHELL);
        assertThat(kind("# all of it\nJVM_OPTS=-Da=b bin/standalone.sh start\n"))
                .isEqualTo(Kind.SHELL);
        assertThat(kind("   authConfig:\n     provider: file\n")).isEqualTo(Kind.YAML);
        assertThat(kind("- all a b c\n")).isEqualTo(Kind.YAML);
        assertThat(kind("deny all all a/#\n")).isEqualTo(Kind.RULES);
        assertThat(kind("[Unit]\n")).isEqualTo(Kind.OTHER);
        assertThat(kind("someprogram --option\n")).isEqualTo(Kind.OTHER);
        assertThat(new Block("here", 1, "java", "class A {}\n").kind()).isEqualTo(Kind.OTHER);
    }

    private static Kind kind(String text) {
        return new Block("here", 1, "", text).kind();
    }

    @Test
    void scriptsThatShellLinesBeginWithAreThere() throws IOException {
        TreeSet<String> missing = new TreeSet<>();
        TreeSet<String> found = new TreeSet<>();
        for (Block block : DocumentPage.blocks(DocumentPage.all(), Kind.SHELL)) {
            for (PageCommand command : PageCommand.of(block)) {
                String program = command.words().get(0);
                if (SCRIPT.matcher(program).matches()) {
                    found.add(program);
                    if (!Files.isExecutable(ROOT.resolve(program))) {
                        missing.add(block.place() + ": " + program);
                    }
                }
            }
        }

        assertThat(missing).isEmpty();
        assertThat(found).contains("bin/godwit-admin", "bin/perf.sh", "helm/check.sh");
    }
}
