package io.godwit.broker.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.broker.auth.Passwd;
import io.godwit.testing.DocumentPage;
import io.godwit.testing.PageCommand;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParameterException;

/** The commands that pages show are valid: the programs know their options and take their arguments. Runs none. */
class PageCommandsTest {
    private static final PrintStream NOWHERE =
            new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);

    private final CommandSpec admin =
            new Admin(NOWHERE, NOWHERE).line(List.of()).getCommandSpec();

    @Test
    void godwitAdminTakesWhatThePagesSay() throws IOException {
        List<PageCommand> commands = PageCommand.of(DocumentPage.all(), "godwit-admin");
        List<String> wrong = new ArrayList<>();
        for (PageCommand command : commands) {
            adminFault(command).ifPresent(fault -> wrong.add(told(command, fault)));
        }

        assertThat(wrong).isEmpty();
        assertThat(commands).hasSizeGreaterThan(50);
    }

    /** The page tells of commands without the program: {@code `transfer STORE RANGE --to NODE`}. */
    @Test
    void godwitAdminHasTheCommandsOfThePageOfClusters() throws IOException {
        List<String> wrong = new ArrayList<>();
        int found = 0;
        for (PageCommand command : PageCommand.inText(DocumentPage.read("docs/cluster.md"))) {
            String line = String.join(" ", command.words());
            PageCommand longest = command(line.replaceAll("[\\[\\]]", ""), false);
            if (longest.words().size() < 2
                    || !admin.subcommands().containsKey(longest.words().get(0))) {
                continue;
            }
            found++;
            fault(admin, longest).ifPresent(fault -> wrong.add(told(longest, fault)));
            if (line.contains("[")) { // what may be left out
                PageCommand shortest = command(line.replaceAll(" \\[[^\\]]*\\]", ""), true);
                fault(admin, shortest).ifPresent(fault -> wrong.add(told(shortest, fault)));
            }
        }

        assertThat(wrong).isEmpty();
        assertThat(found).isGreaterThan(20);
    }

    @Test
    void godwitPasswdTakesWhatThePagesSay() throws IOException {
        CommandSpec program = passwd();
        List<PageCommand> commands = PageCommand.of(DocumentPage.all(), "godwit-passwd");
        List<String> wrong = new ArrayList<>();
        for (PageCommand command : commands) {
            fault(program, command).ifPresent(fault -> wrong.add(told(command, fault)));
        }

        assertThat(wrong).isEmpty();
        assertThat(commands).hasSizeGreaterThan(8);
    }

    @Test
    void standaloneTakesWhatThePagesSay() throws IOException {
        ScriptUsage usage = ScriptUsage.read();
        List<PageCommand> commands = PageCommand.of(DocumentPage.all(), "standalone.sh");
        List<String> wrong = new ArrayList<>();
        for (PageCommand command : commands) {
            usage.fault(command).ifPresent(fault -> wrong.add(told(command, fault)));
        }

        assertThat(wrong).isEmpty();
        assertThat(commands).hasSizeGreaterThan(40);
    }

    @Test
    void whatAProgramDoesNotTakeIsFound() throws IOException {
        for (String wrong : List.of(
                "rangs inbox", "ranges", "ranges inbox inbox --wide", "drain 8a31 --reduced", "members --rpc here")) {
            assertThat(adminFault(command(wrong, true))).as(wrong).isPresent();
        }
        assertThat(adminFault(command("transfer --too", false))).isPresent();
        assertThat(adminFault(command("transfer", false))).isEmpty();
        assertThat(adminFault(command("--rpc", false))).isEmpty();
        ScriptUsage usage = ScriptUsage.read();
        for (String wrong : List.of("begin", "start --now", "start --config", "restart --drain 3", "stop --all")) {
            assertThat(usage.fault(command(wrong, true))).as(wrong).isPresent();
        }
        assertThat(usage.fault(command("stop --drain 3 --data here", true))).isEmpty();
        CommandSpec passwd = passwd();
        for (String wrong : List.of("addd ann", "add", "add ann --scrum", "list ann")) {
            assertThat(fault(passwd, command(wrong, true))).as(wrong).isPresent();
        }
    }

    /** Of the class alone, since an instance would need a terminal. */
    private static CommandSpec passwd() {
        return new CommandLine(CommandSpec.forAnnotatedObject(Passwd.class)).getCommandSpec();
    }

    private static PageCommand command(String words, boolean isWhole) {
        return new PageCommand("here", List.of(words.split(" ", -1)), isWhole);
    }

    private static String told(PageCommand command, String fault) {
        return command.place() + ": " + String.join(" ", command.words()) + ": " + fault;
    }

    /** By what picocli knows, and then by picocli itself, which also reads the values. */
    private Optional<String> adminFault(PageCommand command) {
        Optional<String> fault = fault(admin, command);
        if (fault.isPresent()) {
            return fault;
        }
        CommandLine line = new Admin(NOWHERE, NOWHERE).line(command.words()).setCaseInsensitiveEnumValuesAllowed(true);
        try {
            line.parseArgs(command.words().toArray(String[]::new));
            return Optional.empty();
        } catch (MissingParameterException e) {
            return command.isWhole() ? Optional.of(String.valueOf(e.getMessage())) : Optional.empty();
        } catch (ParameterException e) {
            return Optional.of(String.valueOf(e.getMessage()));
        }
    }

    /** A command or an option that the program does not have; too many or too few arguments. */
    private static Optional<String> fault(CommandSpec program, PageCommand command) {
        CommandSpec at = program;
        int arguments = 0;
        Iterator<String> words = command.words().iterator();
        while (words.hasNext()) {
            String word = words.next();
            if (word.length() > 1 && word.startsWith("-")) {
                int equals = word.indexOf('=');
                OptionSpec option = at.optionsMap().get(equals < 0 ? word : word.substring(0, equals));
                if (option == null) {
                    return Optional.of(at.qualifiedName(" ") + " has no option " + word);
                }
                for (int value = equals < 0 ? option.arity().min() : 0; value > 0 && words.hasNext(); value--) {
                    words.next();
                }
            } else {
                CommandLine part = arguments == 0 ? at.subcommands().get(word) : null;
                if (part == null) {
                    arguments++;
                } else {
                    at = part.getCommandSpec();
                }
            }
        }
        int least = 0;
        int most = 0;
        for (PositionalParamSpec parameter : at.positionalParameters()) {
            least += CommandPage.isNeeded(parameter) ? parameter.arity().min() : 0;
            most = parameter.arity().isVariable() || parameter.index().isVariable()
                    ? Integer.MAX_VALUE
                    : Math.addExact(most, parameter.arity().max());
        }
        if (arguments > most) {
            return Optional.of(at.qualifiedName(" ") + " has no such command, or takes fewer arguments");
        }
        return command.isWhole() && arguments < least
                ? Optional.of(at.qualifiedName(" ") + " needs more arguments")
                : Optional.empty();
    }

    /**
     * What {@code standalone.sh --help} says, as the page of commands has it.
     *
     * @param commands such as {@code start}
     * @param values whether an option has a value, by the option
     * @param within the commands that an option is for; all where it is not in here
     */
    private record ScriptUsage(Set<String> commands, Map<String, Boolean> values, Map<String, Set<String>> within) {
        private static final Pattern COMMANDS = Pattern.compile("(?m)^usage: standalone\\.sh ([a-z|]+) ");
        private static final Pattern OPTION = Pattern.compile(
                "(?m)^  (?:(-[a-z]), )?(--[a-z-]+)( [A-Z]+)? {2,}(?:with ([a-z]+)(?: and ([a-z]+))?: )?");

        static ScriptUsage read() throws IOException {
            String text = DocumentPage.read("docs/cli.md").text();
            Matcher commands = COMMANDS.matcher(text);
            assertThat(commands.find()).isTrue();
            Map<String, Boolean> values = new HashMap<>();
            Map<String, Set<String>> within = new HashMap<>();
            Matcher option = OPTION.matcher(text);
            while (option.find()) {
                Set<String> only = new TreeSet<>();
                for (int group : List.of(4, 5)) {
                    if (option.group(group) != null) {
                        only.add(option.group(group));
                    }
                }
                for (int group : List.of(1, 2)) {
                    if (option.group(group) != null) {
                        values.put(option.group(group), option.group(3) != null);
                        if (!only.isEmpty()) {
                            within.put(option.group(group), only);
                        }
                    }
                }
            }
            assertThat(values).containsKeys("-f", "--foreground", "--no-wait", "--config", "--drain");
            return new ScriptUsage(Set.copyOf(Arrays.asList(commands.group(1).split("\\|", -1))), values, within);
        }

        Optional<String> fault(PageCommand command) {
            List<String> words = command.words();
            if (words.isEmpty() || words.get(0).equals("--help")) {
                return words.isEmpty() && command.isWhole() ? Optional.of("no command") : Optional.empty();
            }
            if (!commands.contains(words.get(0))) {
                return Optional.of("no command " + words.get(0));
            }
            int at = 1;
            while (at < words.size()) {
                String option = words.get(at);
                Boolean hasValue = values.get(option);
                if (hasValue == null) {
                    return Optional.of("no option " + option);
                }
                if (!within.getOrDefault(option, commands).contains(words.get(0))) {
                    return Optional.of(option + " is not for " + words.get(0));
                }
                at += hasValue ? 2 : 1;
            }
            return at > words.size() && command.isWhole() ? Optional.of("an option needs a value") : Optional.empty();
        }
    }
}
