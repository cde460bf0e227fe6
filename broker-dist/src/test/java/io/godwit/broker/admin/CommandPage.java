package io.godwit.broker.admin;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** Programs with their commands and options as Markdown, from what picocli knows of them. */
final class CommandPage {
    private static final int WIDTH = 120;

    private final StringBuilder page = new StringBuilder();

    private CommandPage() {}

    /** A chapter of each program: the options that all its commands have, then each command by its name. */
    static String of(List<CommandLine> programs) {
        CommandPage made = new CommandPage();
        programs.forEach(made::program);
        return made.page.toString();
    }

    private void program(CommandLine program) {
        CommandSpec spec = program.getCommandSpec();
        heading("## ", spec);
        paragraph(String.join(" ", spec.usageMessage().description()));
        paragraph(String.join(" ", spec.usageMessage().footer()).strip());
        paragraph("Options that every command has:");
        arguments(spec);
        commands(program);
    }

    private void commands(CommandLine parent) {
        Map<String, CommandLine> byName = new TreeMap<>(parent.getSubcommands());
        for (CommandLine command : byName.values()) {
            CommandSpec spec = command.getCommandSpec();
            heading("### ", spec);
            page.append("    ").append(synopsis(spec)).append("\n\n");
            paragraph(String.join(" ", spec.usageMessage().description()));
            arguments(spec);
            commands(command);
        }
    }

    private void heading(String marks, CommandSpec spec) {
        page.append('\n').append(marks).append(spec.qualifiedName(" ")).append("\n\n");
    }

    /** Mandatory options and all parameters; the other options stand in the table. */
    private static String synopsis(CommandSpec spec) {
        List<String> words = new ArrayList<>(List.of(spec.qualifiedName(" ")));
        if (!spec.subcommands().isEmpty()) {
            words.add("COMMAND");
        }
        spec.positionalParameters().stream()
                .filter(parameter -> !parameter.hidden())
                .forEach(parameter ->
                        words.add(isNeeded(parameter) ? parameter.paramLabel() : "[" + parameter.paramLabel() + "]"));
        List<OptionSpec> options = own(spec);
        options.stream().filter(CommandPage::isMandatory).forEach(option -> words.add(text(option)));
        if (!options.stream().allMatch(CommandPage::isMandatory)) {
            words.add("[OPTIONS]");
        }
        return String.join(" ", words);
    }

    /** Whether the command refuses to run without it. */
    static boolean isNeeded(PositionalParamSpec parameter) {
        return parameter.arity().min() > 0 && parameter.defaultValue() == null;
    }

    /** In an exclusive group picocli marks options as required. */
    private static boolean isMandatory(OptionSpec option) {
        return option.required() && option.group() == null;
    }

    /** The options that are not inherited, except those for help, which are the program's. */
    private static List<OptionSpec> own(CommandSpec spec) {
        boolean isRoot = spec.parent() == null;
        return spec.options().stream()
                .filter(option -> !option.hidden() && !option.inherited())
                .filter(option -> isRoot || !option.usageHelp() && !option.versionHelp())
                .toList();
    }

    private void arguments(CommandSpec spec) {
        List<PositionalParamSpec> parameters = spec.positionalParameters().stream()
                .filter(parameter -> !parameter.hidden())
                .toList();
        List<OptionSpec> options = own(spec);
        if (parameters.isEmpty() && options.isEmpty()) {
            return;
        }
        page.append("| option | what it is |\n|---|---|\n");
        parameters.forEach(parameter -> row(parameter.paramLabel(), parameter));
        options.forEach(option -> row(text(option), option));
        page.append('\n');
    }

    private void row(String name, ArgSpec argument) {
        String description =
                escaped(String.join(" ", argument.description())).strip().replace("|", "\\|");
        page.append("| `").append(name).append("` | ").append(description).append(" |\n");
    }

    private static String text(OptionSpec option) {
        String names = String.join(", ", option.names());
        if (option.arity().max() == 0) {
            return names;
        }
        String separator = option.names()[option.names().length - 1].length() > 2 ? " " : "";
        String value = option.arity().min() == 0 ? "[=" + option.paramLabel() + "]" : separator + option.paramLabel();
        return names + value;
    }

    /** Escapes characters that have a meaning in Markdown. */
    private static String escaped(String text) {
        return text.replace("<", "&lt;").replace("*", "\\*").replace("[", "\\[").replace("%n", " ");
    }

    /** Broken into lines of at most {@link #WIDTH}. */
    private void paragraph(String text) {
        int column = 0;
        for (String word : escaped(text).strip().split("\\s+", -1)) {
            if (word.isEmpty()) {
                return;
            }
            if (column > 0 && column + 1 + word.length() > WIDTH) {
                page.append('\n');
                column = 0;
            }
            if (column > 0) {
                page.append(' ');
                column++;
            }
            page.append(word);
            column += word.length();
        }
        page.append("\n\n");
    }
}
