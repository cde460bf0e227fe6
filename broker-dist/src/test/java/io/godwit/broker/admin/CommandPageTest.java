package io.godwit.broker.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.broker.auth.Passwd;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** The page of commands is generated from the programs; CONTRIBUTING.md says how. */
class CommandPageTest {
    private static final Path ROOT =
            Path.of(System.getProperty("user.dir")).toAbsolutePath().getParent();

    private static final String INTRODUCTION = """
            # Commands

            This page is written by `CommandPageTest` from the programs; do not edit it. `--help`, also after a command,
            tells the same. [cluster.md](cluster.md#godwit-admin) shows what the commands of `godwit-admin` are for, and
            [security.md](security.md#users) those of `godwit-passwd`. The load tool `bin/perf.sh` has
            [a page of its own](perf.md).

            ## standalone.sh

            """;

    @Test
    void thePageIsWrittenFromThePrograms() throws Exception {
        PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
        List<CommandLine> programs = List.of(
                new Admin(nowhere, nowhere).line(List.of()),
                new CommandLine(CommandLine.Model.CommandSpec.forAnnotatedObject(Passwd.class)));
        String written = INTRODUCTION + script() + CommandPage.of(programs);
        String text = written.replaceAll("\n{3,}", "\n\n").stripTrailing() + "\n";
        Path page = ROOT.resolve("docs/cli.md");
        if (System.getProperty("godwit.cli.write") != null) {
            Files.writeString(page, text);
        }

        assertThat(text).contains("## godwit-admin tokens add", "| `--reduce` |", "godwit-passwd add USER [OPTIONS]");
        assertThat(text.lines()).allMatch(line -> line.length() <= 120 || line.startsWith("|"));
        assertThat(page).hasContent(text);
    }

    /** The script's usage text, unchanged. */
    private static String script() throws IOException, InterruptedException {
        Process process = new ProcessBuilder(ROOT.resolve("bin/standalone.sh").toString(), "--help")
                .redirectErrorStream(true)
                .start();
        process.getOutputStream().close();
        String help = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(help).isZero();
        return "```text\n" + help.stripTrailing() + "\n```\n";
    }
}
