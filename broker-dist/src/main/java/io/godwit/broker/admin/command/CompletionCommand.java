package io.godwit.broker.admin.command;

import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code godwit-admin completion}. */
@Command(
        name = "completion",
        description = {
            "Prints a script for a shell to complete these commands and their options by:",
            "source <(godwit-admin completion bash)"
        })
public final class CompletionCommand implements Runnable {
    /** Both shells understand the same script. */
    enum Shell {
        BASH,
        ZSH;

        /** The spelling on the command line. */
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @Parameters(paramLabel = "SHELL", description = "${COMPLETION-CANDIDATES}")
    private @Nullable Shell shell;

    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public void run() {
        CommandLine root = Objects.requireNonNull(spec).root().commandLine();
        root.getOut().println("# Commands and options of godwit-admin, for " + shell + ".");
        root.getOut().print(AutoComplete.bash("godwit-admin", root));
        root.getOut().flush();
    }
}
